"""Make data sets from case reports; each statement is checked against its source."""
