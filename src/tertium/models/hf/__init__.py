"""Models in Hugging Face folders, run by transformers: left-to-right, masked, encoder-decoder."""
