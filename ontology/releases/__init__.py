"""The releases that come with the package, and readers for the user's own."""
