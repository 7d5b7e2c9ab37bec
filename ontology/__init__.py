"""ICD-10 codes, their tree, the terms that name them, and search."""
