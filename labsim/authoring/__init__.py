"""For ticket authors: lint, prove, schema."""
