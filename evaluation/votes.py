"""Votes as a long table, under the name by which evaluations know it."""

from ..votes_file import (
    COLUMNS,
    NEEDED,
    read_verdict,
    read_votes,
    verdict_text,
    votes_table,
    write_votes,
)

__all__ = [
    "COLUMNS",
    "NEEDED",
    "read_verdict",
    "read_votes",
    "verdict_text",
    "votes_table",
    "write_votes",
]
