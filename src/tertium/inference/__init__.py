"""Resampling, tests and intervals: rows in, numbers out."""
