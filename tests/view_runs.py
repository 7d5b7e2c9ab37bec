"""Finished evaluations for the tests of `dxjudge view`, with planted payloads in every field."""

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dxjudge
from dxjudge.agents.engine.run import Run

from .evaluation_judge import make_judge
from .protocol_server import ProtocolServer, Seen, fail

EVIL = (
    "</script><script>document.title='owned'</script><img src=x onerror=alert(1)> "
    "\u202egnp\u202c \"q\" 'a' &amp;"
)
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)
"""A PNG of one pixel."""
EXAMPLES = Path(__file__).parents[1] / "examples"


@dataclass(frozen=True)
class Judged:
    """A run with its judges, and what their servers saw."""

    folder: Path
    judges: tuple[str, ...]
    seen: dict[str, list[Seen]]


def example_run(folder: Path, cases: int = 12) -> Judged:
    """The first example cases under two judges and their jury; one answer is first invalid."""

    def lines(path: Path) -> list[dict[str, Any]]:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    some = lines(EXAMPLES / "cases.jsonl")[:cases]
    folder.mkdir(parents=True)
    (folder / "skin 'x'.png").write_bytes(base64.b64decode(PIXEL))
    (folder / "notes.txt").write_text("no image")
    some[0]["images"] = [str(folder / "skin 'x'.png"), "https://example.org/a.png"]
    some[1]["images"] = [f"data:image/png;base64,{PIXEL}"]
    some[-1]["images"] = [str(folder / "notes.txt")]
    ids = {case["id"] for case in some}
    models = {
        name: [row for row in lines(EXAMPLES / "evaluate" / f"{name}.jsonl") if row["id"] in ids]
        for name in ("careful", "hasty")
    }
    return _judged(
        folder, some, models, tasks=["map_to_icd10", "judge_equivalence", "score_rubric"]
    )


def evil_run(folder: Path) -> Judged:
    """A run with the payload in cases, models, responses, diagnoses, groups and judges' words."""
    cases = [
        {"id": f"c{n} {EVIL}", "case": f"{EVIL} case {n}", "reference": EVIL, "diagnosis": EVIL,
         "ward": EVIL if n else "east", "question": EVIL}
        for n in range(3)
    ]  # fmt: skip
    models = {
        name: [
            {"id": case["id"], "response": f"{EVIL} response of {at}",
             "predicted_diagnosis": f"{EVIL} guess", "predicted_ddx": [EVIL, "gout"]}
            for case in cases
        ]
        for at, name in enumerate(("plain", EVIL))
    }  # fmt: skip
    return _judged(
        folder, cases, models, tasks=["judge_equivalence", "score_rubric", "label_errors"],
        groups=["ward"], name=f"judge {EVIL}",
    )  # fmt: skip


def _evil_words(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {
            name: EVIL if name in ("justification", "explanation") else _evil_words(value)
            for name, value in answer.items()
        }
    return [_evil_words(one) for one in answer] if isinstance(answer, list) else answer


def _judged(
    folder: Path, cases: Any, models: Any, *, name: str = "", tasks: list[str], **settings: Any
) -> Judged:
    folder.mkdir(parents=True, exist_ok=True)

    def first(seen: Seen) -> Any:
        answer = make_judge(0)(seen)
        return _evil_words(answer) if name else answer

    def second(seen: Seen) -> Any:
        if "derm-02" in str(seen.body) or len(two.seen) == 1:
            return fail(400, "this request is rejected")
        return make_judge(1)(seen)

    with ProtocolServer(first) as one, ProtocolServer(second) as two:
        judges = (one.judge(name or "judge-a"), two.judge("judge-b"))
        # One after the other, so that the item of the rejected request is the same each time.
        with Run(mode="off", ledger=folder / "attempts.jsonl", concurrency=1) as run:
            dxjudge.evaluate(
                cases, models, judges=judges, run=run, folder=folder, resamples=60,
                tasks=tasks, jury="majority", **settings,
            ).write(folder)  # fmt: skip
    return Judged(folder, judges, {judges[0]: one.seen, judges[1]: two.seen})
