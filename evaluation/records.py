"""Writes and reads the record of an evaluation, so that other judges can judge the same responses.

`inputs.json` has the cases and responses as they were read, and `outcomes.jsonl` the outcome of
every item, also of failed ones. The settings and the judges are in `signature.json`.
"""

import json
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..agents.images import kind_of
from ..agents.judge import JudgeSpec
from ..agents.outcome import Outcome, read_outcome
from ..errors import InputError, OutputError
from ..files.bytes import decode, read_bytes, writing
from .cases import Case, Response
from .judged import Judged
from .judging import RecordKey
from .settings import Settings
from .tasks import EXTRACTIONS

INPUTS, OUTCOMES, SIGNATURE = "inputs.json", "outcomes.jsonl", "signature.json"
OVERVIEW, JUDGES_PAGE = "overview.json", "judges.json"
"""The data of the pages; that of the front page is written after everything else."""
IMAGES = "images"
"""The folder of the images that stood in the table of cases itself."""
RATINGS = "ratings.csv"
"""What people said of the run's items, where `dxjudge rate RUN` writes it by default."""


@dataclass(frozen=True)
class Inputs:
    """Cases, and responses by model and case."""

    cases: tuple[Case, ...]
    responses: dict[str, dict[str, tuple[Response, ...]]]


_INPUTS: TypeAdapter[Inputs] = TypeAdapter(Inputs)
_DAMAGED = (KeyError, TypeError, ValidationError, AttributeError)


@dataclass(frozen=True)
class Recorded:
    """An evaluation, read from its folder. The judge of an extraction is ""."""

    settings: Settings
    judges: tuple[JudgeSpec, ...]
    cases: tuple[Case, ...]
    responses: Mapping[str, Mapping[str, tuple[Response, ...]]]
    outcomes: Mapping[RecordKey, Outcome]
    files: Mapping[str, str]


def write_inputs(judged: Judged, folder: Path) -> None:
    """Write cases and responses as JSON; images that stood in the table become files beside it.

    Raises OutputError.
    """
    cases = tuple(
        replace(case, images=tuple(_kept(image, folder) for image in case.images))
        for case in judged.cases
    )
    responses = {model: dict(by_case) for model, by_case in judged.responses.items()}
    inputs = _INPUTS.dump_python(Inputs(cases, responses), mode="json")
    with writing(folder / INPUTS) as file:
        file.write(json.dumps(inputs).encode())


def _kept(image: str, folder: Path) -> str:
    """Write an image that is a data URL, and return its path in the folder; others stay."""
    if not image.startswith("data:"):
        return image
    content = b64decode(image.partition(";base64,")[2])
    kind = kind_of(content) or "image/unknown"
    name = f"{IMAGES}/{sha256(content).hexdigest()[:16]}.{kind.rpartition('/')[2]}"
    try:
        (folder / IMAGES).mkdir(exist_ok=True)
    except OSError as fault:
        raise OutputError(f"cannot make the folder {folder / IMAGES}: {fault.strerror}") from fault
    with writing(folder / name) as file:
        file.write(content)
    return name


def outcome_lines(judged: Judged) -> Iterator[str]:
    """Every judged item as a line of JSON."""
    for items in judged.outcomes.values():
        for item in items:
            yield json.dumps(
                {
                    "judge": item.judge,
                    "task": item.task,
                    "model": item.model,
                    "case": item.case,
                    "response": item.response,
                    "place": item.place,
                    "outcome": item.outcome.model_dump(mode="json"),
                }
            )


def read_recorded(folder: Path) -> Recorded:
    """Read an evaluation from its folder.

    Raises InputError, naming the file, for a folder without an evaluation or with a damaged one.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder")
    if not (folder / INPUTS).exists():
        raise InputError(
            f"{folder} has no {INPUTS}: it is not the folder of an evaluation, or an older version "
            "wrote it; run dxjudge evaluate again (what was judged is not asked again)"
        )
    settings = read_run_settings(folder)
    signature = read_signature(folder / SIGNATURE)
    try:
        judges = tuple(JudgeSpec(**judge) for judge in signature["judges"])
        files = {str(name): str(digest) for name, digest in signature["files"].items()}
    except _DAMAGED as fault:
        raise _not_a_signature(folder, fault) from fault
    inputs = read_inputs(folder)
    outcomes = dict(_outcomes(folder / OUTCOMES))
    return Recorded(settings, judges, inputs.cases, inputs.responses, outcomes, files)


def read_run_settings(folder: Path) -> Settings:
    """Read the settings of an evaluation. Raises InputError, naming the file."""
    try:
        return Settings(**read_signature(folder / SIGNATURE)["settings"])
    except _DAMAGED as fault:
        raise _not_a_signature(folder, fault) from fault


def _not_a_signature(folder: Path, fault: Exception) -> InputError:
    return InputError(f"{folder / SIGNATURE} is not the signature of an evaluation: {fault}")


def read_inputs(folder: Path) -> Inputs:
    """Read the cases and responses of an evaluation. Raises InputError, naming the file."""
    try:
        inputs = _INPUTS.validate_python(_json(folder / INPUTS))
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        raise InputError(f"{folder / INPUTS}: {first['loc']}: {first['msg']}") from fault
    cases = tuple(
        replace(case, images=tuple(_found(image, folder) for image in case.images))
        if case.images
        else case
        for case in inputs.cases
    )
    return replace(inputs, cases=cases)


def _found(image: str, folder: Path) -> str:
    return str(folder.resolve() / image) if image.startswith(f"{IMAGES}/") else image


def read_signature(path: Path) -> Any:
    """Read the signature of an evaluation. Raises InputError, naming the file."""
    return _json(path)


def _json(path: Path) -> Any:
    try:
        return json.loads(decode(read_bytes(path), str(path)))
    except ValueError as fault:
        raise InputError(f"{path} is not JSON: {fault}") from fault


def _outcomes(path: Path) -> Iterator[tuple[RecordKey, Outcome]]:
    lines = decode(read_bytes(path), str(path)).split("\n")
    for number, line in enumerate(filter(None, lines), 1):
        try:
            entry = json.loads(line)
            judge = "" if entry["task"] in EXTRACTIONS else entry["judge"]
            key = (judge, entry["task"], entry["model"], entry["case"], entry["response"],
                   entry["place"])  # fmt: skip
            yield key, read_outcome(entry["outcome"])
        except (ValueError, KeyError, TypeError) as fault:
            raise InputError(f"{path}, line {number} is not an outcome: {fault}") from fault
