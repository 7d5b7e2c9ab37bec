"""Searching the terms: index, encoders, features of a candidate, reranking."""
