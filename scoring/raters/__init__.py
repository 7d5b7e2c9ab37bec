"""How far raters agree, which errors they share, and their verdicts corrected by checked ones."""
