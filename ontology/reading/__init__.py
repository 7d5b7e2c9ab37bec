"""Read a diagnosis: normal forms, queries, spelling, other languages, refusal."""
