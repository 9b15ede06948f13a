"""Pages of an evaluation: tables, charts and words as one file."""
