"""From verdicts to measures and numbers."""
