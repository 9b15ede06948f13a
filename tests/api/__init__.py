"""What Python callers meet."""
