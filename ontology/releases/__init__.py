"""The releases of an ontology."""
