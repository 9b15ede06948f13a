"""Cross-lingual retrieval: whether documents are found by their translations."""
