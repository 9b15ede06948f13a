"""`tertium meta`: how far metrics agree with people."""
