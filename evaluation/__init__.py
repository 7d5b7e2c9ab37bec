"""Whole evaluations: cases x models, presets, comparison, report."""
