"""What the pages and the self-contained report show of finished evaluations, as plain data."""
