"""Comparisons beyond one difference: many p-values, the number of cases, gaps between subgroups."""
