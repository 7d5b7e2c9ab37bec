"""What `dxjudge review` does: the queue of a canonical table, decisions, samples, settling."""
