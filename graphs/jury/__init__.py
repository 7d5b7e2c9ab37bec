"""Let several judges vote on one item."""
