"""Whole evaluations: the responses of several models to the same cases, compared and reported."""
