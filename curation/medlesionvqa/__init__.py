"""Make the data of MedLesionVQA: questions for seven abilities from annotation records."""
