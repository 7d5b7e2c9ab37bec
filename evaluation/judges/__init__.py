"""What is said of the judges: agreement, swaps, conclusions, robustness."""
