"""Post-editing effort: what people changed in outputs, how much, and in what time."""
