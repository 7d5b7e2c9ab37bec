"""Rules that several steps share: readings of words, quotes, grades and broken responses."""
