"""Language models behind one protocol, and the cache of what they answered."""
