"""The commands that open pages in the browser."""
