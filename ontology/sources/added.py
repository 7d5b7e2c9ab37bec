"""The term sources that a user added. They lie in the cache folder and are checked when read.

    sources/NAME/source.json    the description: origin, licence, version, checksums, weight
    sources/NAME/icd10cm.tsv    the terms for one release: text, code, source

The folder holds the terms that were read, so that no later start parses an ontology of 50 MB.
"""

import hashlib
import json
import re
import shutil
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from ...errors import InputError, OutputError, UsageError
from ...files.folders import cache_folder
from ..base import COMMUNITY
from ..terms import Term
from ..tree import Tree
from .forms import SourceReading

NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,39}")
_TAKEN = {"official", "inclusion", "includes", "code", COMMUNITY, "all", "none"}
_FORMAT = 1

Which = Literal["all", "none"] | Sequence[str]
"""Which added sources are used: all active ones, none, or the ones with these names."""


@dataclass(frozen=True)
class AddedSource:
    """A source in the user's folder.

    origin: the address (after redirects) or path that the source came from. sha256: the digest of
    the file at that origin. terms: the number of terms for each release. kept: for each release
    the sha256 of the file of terms. rows: the number of pairs of term and code in the origin.
    inexact: whether matches wider than the disease were taken.
    """

    name: str
    title: str
    origin: str
    sha256: str
    format: str
    version: str
    licence: str
    added: str
    rows: int
    terms: dict[str, int]
    kept: dict[str, str]
    inexact: bool
    weight: float
    active: bool = True

    def label(self) -> str:
        """Return the name with the version and weight, for signatures and messages."""
        version = f" {self.version}" if self.version else ""
        return f"{self.name}{version} (weight {self.weight:g})"


def sources_folder() -> Path:
    """Return the folder that holds the added sources."""
    return cache_folder() / "sources"


def check_name(name: str) -> str:
    """Return the name. Raise UsageError where it cannot be the name of an added source."""
    if not NAME.fullmatch(name) or name in _TAKEN:
        raise UsageError(
            f"{name!r} cannot be the name of a source: use at most 40 lower-case letters, digits "
            f"and . _ -, and none of {', '.join(sorted(_TAKEN))}"
        )
    return name


def list_added() -> list[AddedSource]:
    """Return all added sources, sorted by name. Raises InputError for a damaged one."""
    return [read_manifest(path) for path in sorted(sources_folder().glob("*/source.json"))]


def find_added(name: str) -> AddedSource:
    """Return the source with this name. Raises UsageError that lists the names there are."""
    path = sources_folder() / name / "source.json"
    if not NAME.fullmatch(name) or not path.is_file():
        names = sorted(path.parent.name for path in sources_folder().glob("*/source.json"))
        raise UsageError(f"no added source {name!r}; there is {', '.join(names) or 'none'}")
    return read_manifest(path)


def select_added(which: Which, release: str) -> tuple[AddedSource, ...]:
    """Return the sources of `which` that have terms for the release.

    Raises UsageError for a name that was not added, or whose source has no term for the release.
    """
    if isinstance(which, str):
        if which not in {"all", "none"}:
            raise UsageError(f"added sources {which!r}: it is all, none or a list of names")
        sources = list_added() if which == "all" else []
        return tuple(source for source in sources if source.active and source.terms.get(release))
    chosen = tuple(find_added(name) for name in dict.fromkeys(which))
    for source in chosen:
        if not source.terms.get(release):
            raise UsageError(f"the added source {source.name} has no term for {release}")
    return chosen


def added_terms(source: AddedSource, tree: Tree) -> list[Term]:
    """Return the terms of an added source for a release.

    Terms whose code is not in the installed edition of the release are left out. Raises InputError
    where the file of terms was changed after it was written.
    """
    text = _checked(source, tree.release).decode("utf-8")
    terms = (Term(*line.split("\t")) for line in text.splitlines())
    return [term for term in terms if tree.contains(term.code)]


def check_added(sources: Iterable[AddedSource], release: str) -> None:
    """Raise InputError where a file of terms was changed after it was written."""
    for source in sources:
        _checked(source, release)


def keep_source(source: AddedSource, readings: dict[str, SourceReading]) -> AddedSource:
    """Write a source and its terms (`readings` by release); it replaces a source of that name.

    The source is replaced whole or not at all. Raises OutputError where it cannot be written.
    """
    folder = sources_folder()
    part = folder / f".{source.name}.{uuid.uuid4().hex}.part"
    try:
        part.mkdir(parents=True)
        kept = {}
        for release, reading in readings.items():
            body = "".join("\t".join(_stored(term, source.name)) + "\n" for term in reading.terms)
            (part / f"{release}.tsv").write_bytes(body.encode())
            kept[release] = hashlib.sha256(body.encode()).hexdigest()
        source = replace(source, kept=kept)
        _write_manifest(part, source)
        _put(part, folder / source.name)
    except OSError as error:
        raise OutputError(f"cannot keep the source in {folder}: {error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return source


def change_source(name: str, **changes: Any) -> AddedSource:
    """Change `weight` or `active` of an added source. Raises UsageError for an unknown name."""
    source = replace(find_added(name), **changes)
    try:
        _write_manifest(sources_folder() / name, source)
    except OSError as error:
        raise OutputError(f"cannot write the source {name}: {error}") from error
    return source


def remove_source(name: str) -> None:
    """Remove an added source, also a damaged one. Raises UsageError for an unknown name."""
    folder = sources_folder() / name
    if not NAME.fullmatch(name) or not folder.is_dir():
        find_added(name)
    try:
        gone = folder.with_name(f".{name}.{uuid.uuid4().hex}.gone")
        folder.rename(gone)
        shutil.rmtree(gone)
    except OSError as error:
        raise OutputError(f"cannot remove {folder}: {error}") from error


def read_manifest(path: Path) -> AddedSource:
    """Read a `source.json`. Raises InputError for a damaged file; the message says what to do."""
    try:
        fields = json.loads(path.read_text("utf-8"))
        if fields.pop("dxjudge") != _FORMAT:
            raise ValueError("it was written by another version of dxjudge")
        return AddedSource(**fields)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{path} is damaged: {error}; {_again(path.parent.name)}") from error


def today() -> str:
    """Return the date of today in UTC, as ISO 8601."""
    return datetime.now(UTC).date().isoformat()


def describe(sources: Sequence[AddedSource]) -> str:
    """Return one line that names the sources in use."""
    return "added sources: " + ", ".join(source.label() for source in sources)


def _checked(source: AddedSource, release: str) -> bytes:
    path = sources_folder() / source.name / f"{release}.tsv"
    try:
        body = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; {_again(source.name)}") from error
    if hashlib.sha256(body).hexdigest() != source.kept.get(release):
        raise InputError(f"{path} was changed after it was written; {_again(source.name)}")
    return body


def _again(name: str) -> str:
    return f"remove it (dxjudge sources remove {name}) and add it again"


def _stored(term: Term, name: str) -> Term:
    """Return the term as it is written: a source that its row names stands behind `name`."""
    return term if term.source == name else term._replace(source=f"{name}/{term.source}")


def _write_manifest(folder: Path, source: AddedSource) -> None:
    text = json.dumps({"dxjudge": _FORMAT, **asdict(source)}, indent=1, ensure_ascii=False)
    part = folder / f".source.{uuid.uuid4().hex}"
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(folder / "source.json")


def _put(part: Path, home: Path) -> None:
    """Rename `part` to `home`. An old folder is moved away first: rename needs an empty place."""
    old = home.with_name(f".{home.name}.{uuid.uuid4().hex}.old")
    if home.exists():
        home.rename(old)
    part.rename(home)
    shutil.rmtree(old, ignore_errors=True)
