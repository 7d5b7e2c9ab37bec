"""Further sources of terms: one reader a form, and the sources that a user keeps."""
