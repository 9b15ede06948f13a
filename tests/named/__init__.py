"""Test sets with a name."""
