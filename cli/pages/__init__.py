"""The commands that open pages in a browser: view, review and rate."""
