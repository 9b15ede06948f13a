"""Pages: tables and charts of an evaluation in one file."""
