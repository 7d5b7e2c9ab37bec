"""Verdicts of people: what they are asked about, samples of it, kept answers, and votes."""
