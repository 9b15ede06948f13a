"""Readers and writers of people's ratings, one format a file."""
