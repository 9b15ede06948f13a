"""The kit of laws: that a sound metric passes, a broken one does not, and exemptions are told."""
