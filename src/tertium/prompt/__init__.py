"""Prompting: templates, demonstrations, answers. It only produces Systems."""
