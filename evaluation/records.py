"""What an evaluation keeps of itself, so that other judges can be asked about the same responses.

`inputs.json` holds the cases and responses as they were read, `outcomes.jsonl` how every item
ended, failed ones too; the settings and the judges stand in `signature.json`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..agents.judge import JudgeSpec
from ..agents.outcome import Outcome, read_outcome
from ..errors import InputError
from ..files.bytes import decode, read_bytes
from .cases import Case, Response
from .judged import Judged
from .judging import RecordKey
from .settings import Settings
from .tasks import EXTRACTIONS

INPUTS, OUTCOMES, SIGNATURE = "inputs.json", "outcomes.jsonl", "signature.json"


@dataclass(frozen=True)
class Inputs:
    """Cases, and responses by model and case."""

    cases: tuple[Case, ...]
    responses: dict[str, dict[str, tuple[Response, ...]]]


_INPUTS: TypeAdapter[Inputs] = TypeAdapter(Inputs)


@dataclass(frozen=True)
class Recorded:
    """An evaluation as its folder tells it. An extraction is recorded under the judge ""."""

    settings: Settings
    judges: tuple[JudgeSpec, ...]
    cases: tuple[Case, ...]
    responses: Mapping[str, Mapping[str, tuple[Response, ...]]]
    outcomes: Mapping[RecordKey, Outcome]
    files: Mapping[str, str]


def inputs_text(judged: Judged) -> str:
    """Cases and responses as JSON."""
    held = {model: dict(by_case) for model, by_case in judged.responses.items()}
    return json.dumps(_INPUTS.dump_python(Inputs(judged.cases, held), mode="json"))


def outcome_lines(judged: Judged) -> Iterator[str]:
    """Every verdict as a line of JSON."""
    for verdicts in judged.verdicts.values():
        for one in verdicts:
            yield json.dumps(
                {
                    "judge": one.judge,
                    "task": one.task,
                    "model": one.model,
                    "case": one.case,
                    "response": one.response,
                    "place": one.place,
                    "outcome": one.outcome.model_dump(mode="json"),
                }
            )


def read_recorded(folder: Path) -> Recorded:
    """Read an evaluation back from its folder.

    Raises InputError, naming the file, for a folder that holds none or a damaged one.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder")
    if not (folder / INPUTS).exists():
        raise InputError(
            f"{folder} holds no {INPUTS}: it is not the folder of an evaluation, or of one before "
            "they kept it; run dxjudge evaluate again (what was judged is not asked again)"
        )
    signature = _json(folder / SIGNATURE)
    try:
        settings = Settings(**signature["settings"])
        judges = tuple(JudgeSpec(**each) for each in signature["judges"])
        files = {str(name): str(held) for name, held in signature["files"].items()}
    except (KeyError, TypeError, ValidationError, AttributeError) as fault:
        raise InputError(f"{folder / SIGNATURE} is not that of an evaluation: {fault}") from fault
    try:
        inputs = _INPUTS.validate_python(_json(folder / INPUTS))
    except ValidationError as fault:
        said = fault.errors(include_url=False)[0]
        raise InputError(f"{folder / INPUTS}: {said['loc']}: {said['msg']}") from fault
    outcomes = dict(_outcomes(folder / OUTCOMES))
    return Recorded(settings, judges, inputs.cases, inputs.responses, outcomes, files)


def _json(path: Path) -> Any:
    try:
        return json.loads(decode(read_bytes(path), str(path)))
    except ValueError as fault:
        raise InputError(f"{path} is not JSON: {fault}") from fault


def _outcomes(path: Path) -> Iterator[tuple[RecordKey, Outcome]]:
    lines = decode(read_bytes(path), str(path)).split("\n")
    for number, line in enumerate(filter(None, lines), 1):
        try:
            held = json.loads(line)
            judge = "" if held["task"] in EXTRACTIONS else held["judge"]
            key = (judge, held["task"], held["model"], held["case"], held["response"],
                   held["place"])  # fmt: skip
            yield key, read_outcome(held["outcome"])
        except (ValueError, KeyError, TypeError) as fault:
            raise InputError(f"{path}, line {number} is no outcome: {fault}") from fault
