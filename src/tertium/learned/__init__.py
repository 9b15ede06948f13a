"""Networks that score translations: their files, their tokens, and one pass through them, in plain torch."""
