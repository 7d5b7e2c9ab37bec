"""What a step is, and how a model is called."""
