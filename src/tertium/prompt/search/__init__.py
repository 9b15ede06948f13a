"""Automatic prompts: templates mined and paraphrased, and the best of them found within a budget of calls."""
