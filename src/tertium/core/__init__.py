"""The nouns: numpy and the standard library only; no input or output, no printing, no environment."""
