"""The operators: what runs in their pods. Each meets the others only in the store."""
