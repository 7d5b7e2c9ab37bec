"""Prompt files, rubrics, taxonomies and scales, and their loader."""
