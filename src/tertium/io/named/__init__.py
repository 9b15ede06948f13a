"""Test sets with a name: what there is, how it is fetched, what is in its files."""
