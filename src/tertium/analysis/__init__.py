"""What is behind a score, and choices by scores: types, errors, buckets, pairs of texts, choices among candidates."""
