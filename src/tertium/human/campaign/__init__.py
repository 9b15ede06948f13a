"""Campaigns: what raters judge, how, and in which portions."""
