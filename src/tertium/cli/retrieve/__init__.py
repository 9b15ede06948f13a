"""`tertium retrieve`: retrieval as a test of translations."""
