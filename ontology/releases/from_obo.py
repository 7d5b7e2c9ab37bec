"""A release from an ontology in OBO form: ids, names, exact synonyms, and is_a as the tree."""

import re
from collections.abc import Callable
from pathlib import Path

from ...files.bytes import decode, read_bytes
from ..release import Release, Rows
from ..sources.obo import Stanza, exact_synonym, plain_value, term_stanzas
from .records import Record, rows_of

_VERSION = re.compile(r"^data-version:\s*(\S+)", re.MULTILINE)


def read_obo(path: str) -> Callable[[Release], Rows]:
    """A reader of an OBO file beside the release's own, as `Release.read`.

    Codes are the ids of the [Term] stanzas with the release's prefix that are not obsolete; their
    exact synonyms are terms. A tree has one parent a node: of several `is_a` the first counts, and
    the edition says for how many codes that is so.

    The reader raises InputError that names file and line for what is no OBO or no tree (`rows_of`).
    """

    def read(release: Release) -> Rows:
        file = Path(str(release.folder.joinpath(path)))
        text = decode(read_bytes(file), str(file))
        start = f"{release.curie_prefix}:"
        records = []
        several = 0
        for stanza in term_stanzas(file, text):
            parents = _values(stanza, "is_a", start)
            if _values(stanza, "id", start) and "true" not in _values(stanza, "is_obsolete", ""):
                records.append(_record(stanza, parents, start, file))
                several += len(parents) > 1
        version = _VERSION.search(text)
        edition = release.version or (version[1] if version else "")
        note = f"of several parents the first, for {several:,} codes" if several else ""
        return rows_of(records, release, ", ".join(filter(None, (edition, note))))

    return read


def _record(stanza: Stanza, parents: list[str], start: str, file: Path) -> Record:
    synonyms = (exact_synonym(value) for tag, value in stanza.tags if tag == "synonym")
    return Record(
        f"{file}, line {stanza.line}",
        _values(stanza, "id", start)[0],
        "".join(_values(stanza, "name", "")[:1]),
        parents[0] if parents else "",
        tuple(dict.fromkeys(filter(None, synonyms))),
    )


def _values(stanza: Stanza, wanted: str, start: str) -> list[str]:
    """The plain values of a tag that start so."""
    values = (plain_value(value) for tag, value in stanza.tags if tag == wanted)
    return [value for value in values if value.startswith(start)]
