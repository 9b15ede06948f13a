"""Prompting, with models small enough to be checked by hand."""
