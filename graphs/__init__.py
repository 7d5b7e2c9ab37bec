"""LangGraph state machines built from steps and ontology look-ups."""
