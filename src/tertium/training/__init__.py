"""Recipes that fit a metric to judgements of people."""
