"""Steps that make data sets; each statement that they write is checked against its source."""
