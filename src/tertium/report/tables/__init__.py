"""Results as tables, each in one place: for the command line and for pages."""
