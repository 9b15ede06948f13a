"""`tertium testsets`: test sets with a name."""
