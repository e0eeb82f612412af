"""Tickets: their schema, rendering by seed, checks, grading, hints and catalogue."""
