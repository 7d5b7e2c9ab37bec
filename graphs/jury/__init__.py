"""Several judges on one item."""
