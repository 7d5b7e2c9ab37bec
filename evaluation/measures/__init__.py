"""Turn verdicts into measures, and measures into numbers."""
