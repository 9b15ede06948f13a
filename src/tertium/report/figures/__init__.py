"""The charts of pages, by Altair."""
