"""Notes: texts in several parts, of which one is the diagnosis."""
