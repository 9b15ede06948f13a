"""How far metrics agree with people."""
