"""Our steps in other frameworks, and the contract of a judge node."""
