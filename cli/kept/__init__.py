"""The commands for what is kept: replies of models, and batches under way."""
