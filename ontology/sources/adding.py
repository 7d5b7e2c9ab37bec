"""Add a term source: download or read it, describe it, and write its terms to the cache folder."""

import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...errors import DxjudgeError, InputError
from ...files.bytes import read_bytes
from ..releases.listed import RELEASES
from ..tree import load_tree
from .added import AddedSource, check_name, keep_source, today
from .catalogue import KnownSource, check_weight, default_weight, known_sources
from .download import Download, Progress, download
from .forms import SourceReading, read_source
from .tabular import ANY, Columns

NOT_STATED = "not stated"
_HEAD = 200_000  # characters at the start of a file that are searched for version and licence

# Each form states version and licence in another way; the first pattern that matches counts.
_VERSIONS = (
    r"^data-version:\s*(\S+)",
    r"^#\s*mapping_set_version:\s*[\"']?([^\"'\n]+)",
    r"<version>\s*([^<]+?)\s*</version>",
    r"<JDBOR[^>]*\sdate=\"([^\" ]+)",
    r"\"version\"\s*:\s*\"([^\"]+)\"",
)
_LICENCES = (
    r"^#\s*license:\s*[\"']?([^\"'\n]+)",
    r"<ShortIdentifier>\s*([^<]+?)\s*</ShortIdentifier>",
    r"^property_value:\s*(?:\S*/)?(?:terms:|dcterms:|dc:)?license\s+\"?([^\s\"]+)",
    r"\"pred\"\s*:\s*\"[^\"]*/license\"\s*,\s*\"val\"\s*:\s*\"([^\"]+)\"",
)


@dataclass(frozen=True)
class Added:
    """An added source, and how its file was read for the first release that it has terms for."""

    source: AddedSource
    reading: SourceReading


def add_known(
    name: str,
    *,
    url: str | None = None,
    sha256: str | None = None,
    weight: float | None = None,
    progress: Progress | None = None,
) -> Added:
    """Download a source of the catalogue and write its terms to the cache folder.

    url: a mirror or another release of the source. sha256: the checksum that the file must have.

    Raises what `download` and `read_source` raise; a source added earlier under the name stays.
    """
    known = known_sources()[name]
    weight = check_weight(known.weight if weight is None else weight)
    folder = Path(tempfile.mkdtemp(prefix="dxjudge-source-"))
    try:
        path = folder / name
        fetched = download(url or known.url, path, sha256=sha256, progress=progress)
        return _keep_known(known, path, fetched, weight)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def add_file(
    path: Path,
    *,
    name: str,
    weight: float | None = None,
    licence: str | None = None,
    version: str | None = None,
    inexact: bool = False,
    columns: Columns = ANY,
    encoding: str | None = None,
) -> Added:
    """Write the terms of the user's own file, in any form that `read_source` reads.

    A name of the catalogue brings that source's weight and licence.

    Raises UsageError for a bad name or weight, InputError for a file that gives no term.
    """
    check_name(name)
    known = known_sources().get(name)
    usual = known.weight if known else default_weight()
    weight = check_weight(usual if weight is None else weight)
    data = read_bytes(path)
    inexact = inexact or (known is not None and known.inexact)
    readings = _read(
        lambda release: read_source(
            path,
            load_tree(release),
            name=name,
            exact_only=not inexact,
            columns=columns,
            encoding=encoding,
        )
    )
    first = next(iter(readings.values()))
    text = data[:_HEAD].decode("utf-8", errors="replace")
    source = AddedSource(
        name=name,
        title=known.title if known else path.name,
        origin=str(path.absolute()),
        sha256=hashlib.sha256(data).hexdigest(),
        format=first.format,
        version=version or _stated(_VERSIONS, text),
        licence=licence or _stated(_LICENCES, text) or (known.licence if known else NOT_STATED),
        added=today(),
        rows=first.rows,
        terms={release: len(reading.terms) for release, reading in readings.items()},
        kept={},
        inexact=inexact,
        weight=weight,
    )
    return Added(keep_source(source, readings), first)


def _keep_known(known: KnownSource, path: Path, fetched: Download, weight: float) -> Added:
    readings = _read(
        lambda release: read_source(
            path, load_tree(release), name=known.name, exact_only=not known.inexact
        ),
        fetched.url,
        path,
    )
    first = next(iter(readings.values()))
    if first.format != known.format:
        raise InputError(
            f"{fetched.url}: is in the form {first.format}, but {known.name} has the form "
            f"{known.format}; nothing was added; to add your own file, give its path"
        )
    with path.open(encoding="utf-8", errors="replace") as file:
        text = file.read(_HEAD)
    source = AddedSource(
        name=known.name,
        title=known.title,
        origin=fetched.url,
        sha256=fetched.sha256,
        format=first.format,
        version=_stated(_VERSIONS, text),
        licence=known.licence,
        added=today(),
        rows=first.rows,
        terms={release: len(reading.terms) for release, reading in readings.items()},
        kept={},
        inexact=known.inexact,
        weight=weight,
    )
    return Added(keep_source(source, readings), first)


def _read(
    read: Callable[[str], SourceReading], shown: str | None = None, path: Path | None = None
) -> dict[str, SourceReading]:
    """Return the readings of the releases that have a term; `shown` names the origin in messages.

    Where no release has a term, raises the error of the first release.
    """
    readings: dict[str, SourceReading] = {}
    fault: DxjudgeError | None = None
    for release in RELEASES:
        try:
            reading = read(release)
        except InputError as error:
            fault = fault or error
            continue
        if reading.terms:
            readings[release] = reading
        else:
            fault = fault or _without_terms(reading, shown or reading.name)
    if readings:
        return readings
    assert fault
    message = str(fault).replace(str(path), shown) if shown else str(fault)
    raise InputError(f"{message}; nothing was added") from fault


def _without_terms(reading: SourceReading, name: str) -> InputError:
    why = f": {reading.skipped[0].where}: {reading.skipped[0].reason}" if reading.skipped else ""
    if reading.inexact:
        why += f"; {reading.inexact:,} matches are inexact (--inexact takes them)"
    return InputError(f"{name}: none of its {reading.rows:,} rows gives a term{why}")


def _stated(patterns: tuple[str, ...], text: str) -> str:
    """Return the text that the first matching pattern captures, "" where none matches."""
    for pattern in patterns:
        if match := re.search(pattern, text, re.MULTILINE):
            return " ".join(match[1].split())[:80]
    return ""
