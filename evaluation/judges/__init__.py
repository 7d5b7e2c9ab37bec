"""Numbers about the judges: agreement, swaps of the judge, conclusions, robustness."""
