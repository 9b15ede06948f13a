"""What is behind a score, and what can be done with many: types, pairs of texts, choices among candidates."""
