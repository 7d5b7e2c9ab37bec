"""The journal of `dxjudge map`: every text that is mapped, until the output is written.

A run that is killed loses what was in its hands and nothing else; the same command goes on from
there, and its output is that of a run that nobody disturbed.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from ...files.journal import Journal
from ...ontology.mapping import Mapping, read_mapping


def journal_path(output: str, named: Path | None) -> Path | None:
    """Where mapped texts are kept; None for nowhere."""
    return named if named is not None or output == "-" else Path(f"{output}.journal")


def open_journal(path: Path | None, signature: str, *, whole: bool) -> Journal[Mapping]:
    """Open or begin the journal of a run with this (short) signature.

    `whole`: keep the candidates too. Raises what `Journal` raises.
    """
    return Journal(
        path,
        read=read_mapping,
        write=Mapping.as_json if whole else _without_candidates,
        job={"map": signature, "candidates": whole},
    )


def _without_candidates(mapping: Mapping) -> dict[str, Any]:
    return replace(mapping, candidates=()).as_json()
