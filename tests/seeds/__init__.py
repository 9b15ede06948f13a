"""Worked examples that must come out exactly."""
