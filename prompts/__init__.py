"""Load prompt files, rubrics, taxonomies and scales."""
