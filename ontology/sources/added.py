"""The term sources that a user added: kept in the cache folder, checked whenever they are read.

    sources/NAME/source.json    what it is: origin, licence, version, checksums, weight
    sources/NAME/icd10cm.tsv    its terms for a release: text, code, source

The terms are kept as read, so that a start does not parse an ontology of 50 MB.
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
"""Which added sources join: those that are active, none, or these by name."""


@dataclass(frozen=True)
class AddedSource:
    """A source in the user's folder.

    origin: the address (after redirects) or path it came from; sha256: of what came from there.
    terms: for each release their number, kept: the sha256 of the file with them. rows: pairs of
    term and code in the origin. inexact: whether matches wider than the disease were taken.
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
        """The name with the version and weight, for signatures and messages."""
        version = f" {self.version}" if self.version else ""
        return f"{self.name}{version} (weight {self.weight:g})"


def sources_folder() -> Path:
    """Where added sources are kept."""
    return cache_folder() / "sources"


def check_name(name: str) -> str:
    """Raise UsageError for what cannot be the name of an added source."""
    if not NAME.fullmatch(name) or name in _TAKEN:
        raise UsageError(
            f"{name!r} cannot be the name of a source: lower-case letters, digits, . _ -, at "
            f"most 40, and none of {', '.join(sorted(_TAKEN))}"
        )
    return name


def list_added() -> list[AddedSource]:
    """Every added source, by name. Raises InputError for one that is damaged."""
    return [read_manifest(path) for path in sorted(sources_folder().glob("*/source.json"))]


def find_added(name: str) -> AddedSource:
    """The source of this name. Raises UsageError that lists those there are."""
    path = sources_folder() / name / "source.json"
    if not NAME.fullmatch(name) or not path.is_file():
        there = sorted(each.parent.name for each in sources_folder().glob("*/source.json"))
        raise UsageError(f"no added source {name!r}; there is {', '.join(there) or 'none'}")
    return read_manifest(path)


def select_added(which: Which, release: str) -> tuple[AddedSource, ...]:
    """The sources that join a base of the release: those of `which` that have terms for it.

    Raises UsageError for a name that is not there or holds no term of the release.
    """
    if isinstance(which, str):
        if which not in {"all", "none"}:
            raise UsageError(f"added sources {which!r}: it is all, none or a list of names")
        found = list_added() if which == "all" else []
        return tuple(each for each in found if each.active and each.terms.get(release))
    chosen = tuple(find_added(name) for name in dict.fromkeys(which))
    for each in chosen:
        if not each.terms.get(release):
            raise UsageError(f"the added source {each.name} has no term for {release}")
    return chosen


def added_terms(source: AddedSource, tree: Tree) -> list[Term]:
    """The terms of an added source for a release.

    Codes that a newer edition of the release dropped are left out. Raises InputError where the
    kept file is not what was written.
    """
    text = _checked(source, tree.release).decode("utf-8")
    terms = (Term(*line.split("\t")) for line in text.splitlines())
    return [term for term in terms if tree.contains(term.code)]


def check_added(sources: Iterable[AddedSource], release: str) -> None:
    """Raise InputError where a kept file is not what was written."""
    for source in sources:
        _checked(source, release)


def keep_source(source: AddedSource, readings: dict[str, SourceReading]) -> AddedSource:
    """Write a source (`readings` by release) in place of one of its name, at one stroke."""
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
    """Change weight or active of an added source. Raises UsageError where there is none."""
    source = replace(find_added(name), **changes)
    try:
        _write_manifest(sources_folder() / name, source)
    except OSError as error:
        raise OutputError(f"cannot write the source {name}: {error}") from error
    return source


def remove_source(name: str) -> None:
    """Remove an added source, a damaged one too. Raises UsageError where there is none."""
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
    """A `source.json`. Raises InputError where it is none; the message says how to go on."""
    try:
        held = json.loads(path.read_text("utf-8"))
        if held.pop("dxjudge") != _FORMAT:
            raise ValueError("it was written by another version of dxjudge")
        return AddedSource(**held)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{path} is damaged: {error}; {_again(path.parent.name)}") from error


def today() -> str:
    """The date, ISO 8601, UTC."""
    return datetime.now(UTC).date().isoformat()


def describe(sources: Sequence[AddedSource]) -> str:
    """One line that names the sources in use."""
    return "added sources: " + ", ".join(source.label() for source in sources)


def _checked(source: AddedSource, release: str) -> bytes:
    path = sources_folder() / source.name / f"{release}.tsv"
    try:
        body = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; {_again(source.name)}") from error
    if hashlib.sha256(body).hexdigest() != source.kept.get(release):
        raise InputError(f"{path} is not what was written; {_again(source.name)}")
    return body


def _again(name: str) -> str:
    return f"remove it (dxjudge sources remove {name}) and add it again"


def _stored(term: Term, name: str) -> Term:
    """A row may name a source of its own: it stays to be seen behind the added source's name."""
    return term if term.source == name else term._replace(source=f"{name}/{term.source}")


def _write_manifest(folder: Path, source: AddedSource) -> None:
    text = json.dumps({"dxjudge": _FORMAT, **asdict(source)}, indent=1, ensure_ascii=False)
    part = folder / f".source.{uuid.uuid4().hex}"
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(folder / "source.json")


def _put(part: Path, home: Path) -> None:
    """Rename; a folder cannot take the place of one that is not empty."""
    old = home.with_name(f".{home.name}.{uuid.uuid4().hex}.old")
    if home.exists():
        home.rename(old)
    part.rename(home)
    shutil.rmtree(old, ignore_errors=True)
