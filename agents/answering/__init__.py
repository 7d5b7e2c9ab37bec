"""Ask models under test: forms of questions, and what of a case they are shown."""
