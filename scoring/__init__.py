"""Numbers from values: pure functions with no model and no file."""
