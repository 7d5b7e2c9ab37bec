"""Define the judge steps and call the models that answer them."""
