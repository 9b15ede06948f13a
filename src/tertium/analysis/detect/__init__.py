"""Detectors of errors that a program can see, one family a file."""
