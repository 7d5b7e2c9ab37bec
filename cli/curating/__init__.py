"""The procedures of `dxjudge curate`: one command and one run each, and what they share."""
