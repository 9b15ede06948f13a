"""Thin adapters for other people's interfaces; each imports the library that it is for where it is used."""
