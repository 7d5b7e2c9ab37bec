"""LangGraph graphs that run steps and ontology look-ups."""
