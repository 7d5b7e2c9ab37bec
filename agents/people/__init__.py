"""Steps asked of people: what a step says about its answer, the form, and what a person gave."""
