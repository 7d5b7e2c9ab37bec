"""Steps that make data sets: every statement of what they write is checked against its source."""
