"""Read a release from an OBO file: ids, names, exact synonyms, and is_a as the tree."""

import re
from collections.abc import Callable
from pathlib import Path

from ...errors import InputError
from ...files.bytes import decode, read_bytes
from ..release import Release, Rows
from ..sources.obo import Stanza, exact_synonym, plain_value, term_stanzas
from .records import Record, rows_of

_VERSION = re.compile(r"^data-version:\s*(\S+)", re.MULTILINE)


def read_obo(path: str) -> Callable[[Release], Rows]:
    """Return a reader of an OBO file, for `Release.read`; `path` starts at the release's folder.

    Codes are the ids of the [Term] stanzas that have the release's prefix and are not obsolete.
    Their exact synonyms are terms. A node has one parent: the first of several `is_a` counts, and
    the edition states how many codes have several.

    The reader raises InputError, which names file and line, for a file that is not OBO, that has
    no id with the prefix, or whose codes do not form a tree (`rows_of`).
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
        if not records:
            raise InputError(_without_codes(file, text, start))
        version = _VERSION.search(text)
        edition = release.version or (version[1] if version else "")
        note = f"of several parents the first, for {several:,} codes" if several else ""
        return rows_of(records, release, ", ".join(filter(None, (edition, note))))

    return read


def _without_codes(file: Path, text: str, start: str) -> str:
    """Return the message for a file none of whose ids has the prefix."""
    ids = [value for one in term_stanzas(file, text) for value in _values(one, "id", "")]
    if not ids:
        return f"{file} has no [Term] with an id"
    prefix = ids[0].partition(":")[0]
    return f"{file}: no id starts with {start} (the first is {ids[0]}); set prefix={prefix!r}"


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
    """Return the plain values of the tag `wanted` that start with `start`."""
    values = (plain_value(value) for tag, value in stanza.tags if tag == wanted)
    return [value for value in values if value.startswith(start)]
