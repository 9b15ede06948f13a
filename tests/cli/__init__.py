"""Commands as people call them, in this process unless they say otherwise."""
