"""Data sets made from case reports, each statement checked against its source."""
