"""How commands talk to the terminal: progress, printed results, and completion."""
