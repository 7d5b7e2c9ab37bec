"""Further sources of terms: one reader for each file form, and the sources that a user added."""
