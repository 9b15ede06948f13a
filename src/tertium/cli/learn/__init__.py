"""`tertium learn`: models of learned metrics."""
