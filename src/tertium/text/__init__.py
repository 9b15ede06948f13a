"""Tokenizers and normalisation: how a text is read before it is counted."""
