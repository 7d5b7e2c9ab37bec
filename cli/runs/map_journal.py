"""Open the journal of `dxjudge map`, which keeps every mapped text until the output is written.

A run that is killed loses only the texts that it was mapping. The same command continues from the
journal, and its output equals that of a run that was not interrupted.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from ...files.journal import Journal, finished_keys
from ...ontology.mapping import Mapping, read_mapping


def open_journal(path: Path | None, signature: str, *, whole: bool) -> Journal[Mapping]:
    """Open the journal of a run with this short signature, or begin it.

    whole: keep the candidates too. Raises InputError and OutputError as `Journal` does.
    """
    return Journal(
        path,
        read=read_mapping,
        write=Mapping.as_json if whole else _without_candidates,
        job=_about(signature, whole),
    )


def kept_texts(path: Path | None, signature: str, *, whole: bool) -> set[str]:
    """Return the texts that such a journal has, as `finished_keys` does."""
    return finished_keys(path, _about(signature, whole))


def _about(signature: str, whole: bool) -> dict[str, Any]:
    return {"map": signature, "candidates": whole}


def _without_candidates(mapping: Mapping) -> dict[str, Any]:
    return replace(mapping, candidates=()).as_json()
