"""Remembering model replies."""
