"""The branches of the graph of a case: what each needs, and the work of each."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ..agents.engine.ask import ask
from ..agents.engine.judges import Judge
from ..agents.engine.run import Run
from ..agents.extract_ddx import EXTRACT_DDX
from ..agents.extract_final_diagnosis import EXTRACT_FINAL_DIAGNOSIS
from ..agents.grade_ddx import GRADE_DDX
from ..agents.grade_final_diagnosis import GRADE_FINAL_DIAGNOSIS
from ..agents.judge_equivalence import JUDGE_EQUIVALENCE, Mapper
from ..agents.label_errors import LABEL_ERRORS
from ..agents.outcome import Abstained, Done, Failed, Outcome
from ..agents.score_rubric import SCORE_RUBRIC
from ..agents.step import Step
from .case_record import (
    Branch,
    CaseMapping,
    MappedText,
)

NEEDS: dict[Branch, tuple[Branch, ...]] = {
    "equivalence": ("final_diagnosis",),
    "final_grade": ("final_diagnosis",),
    "ddx_grade": ("ddx",),
    "mapping": ("final_diagnosis", "ddx"),
}

STEPS: dict[Branch, Step[Any, Any]] = {
    "final_diagnosis": EXTRACT_FINAL_DIAGNOSIS,
    "equivalence": JUDGE_EQUIVALENCE,
    "final_grade": GRADE_FINAL_DIAGNOSIS,
    "ddx": EXTRACT_DDX,
    "ddx_grade": GRADE_DDX,
    "rubric": SCORE_RUBRIC,
    "errors": LABEL_ERRORS,
}

_MAPPING: dict[str, Any] = {"step": "map_to_icd10", "version": 1, "decided_by": "ontology"}


class CaseIn(TypedDict):
    """The input of the graph: the fields of a `CaseInput` as plain JSON."""

    inputs: dict[str, Any]


class CaseState(CaseIn, total=False):
    """The state: input, and the outcome of each branch as plain JSON (see `read_record`)."""

    final_diagnosis: dict[str, Any]
    equivalence: dict[str, Any]
    final_grade: dict[str, Any]
    ddx: dict[str, Any]
    ddx_grade: dict[str, Any]
    mapping: dict[str, Any]
    rubric: dict[str, Any]
    errors: dict[str, Any]


@dataclass(frozen=True)
class CaseWork:
    """The settings that all nodes of one graph share."""

    judge: Judge | None
    run: Run
    engine: str
    mapper: Mapper | None
    equivalence: Step[Any, Any]

    def step(self, branch: Branch) -> Step[Any, Any]:
        """Return the step of a branch."""
        return self.equivalence if branch == "equivalence" else STEPS[branch]


async def run_branch(branch: Branch, state: CaseState, work: CaseWork) -> Outcome:
    """Return the outcome of a branch, once the branches that it needs have ended."""
    case = state["inputs"]
    if branch == "mapping":
        return await asyncio.to_thread(_map, state, work)
    for need in NEEDS.get(branch, ()):
        missing = _not_done(branch, need, state[need])
        if missing is not None:
            return missing
    inputs = _INPUTS[branch](case, state)
    return await ask(work.step(branch), inputs, judge=work.judge, run=work.run, engine=work.engine)


# For each branch, the input of its step, from the case and the outcomes of earlier branches.
_INPUTS: dict[Branch, Callable[[dict[str, Any], CaseState], dict[str, Any]]] = {
    "final_diagnosis": lambda case, state: {"response": case["response"]},
    "ddx": lambda case, state: {"text": case["response"]},
    "equivalence": lambda case, state: {"predicted": _final(state), "truth": case["diagnosis"]},
    "final_grade": lambda case, state: {"generated": _final(state), "truth": case["diagnosis"]},
    "ddx_grade": lambda case, state: {"ddx": _ddx(state), "truth": case["diagnosis"]},
    "rubric": lambda case, state: {
        name: case[name] for name in ("case", "reference", "response", "rubric")
    },
    "errors": lambda case, state: {
        name: case[name] for name in ("case", "reference", "response", "taxonomy")
    },
}


def _final(state: CaseState) -> str:
    return str(state["final_diagnosis"]["value"]["diagnosis"])


def _ddx(state: CaseState) -> list[str]:
    return list(state["ddx"]["value"]["diagnoses"])


def _not_done(branch: Branch, need: Branch, outcome: dict[str, Any]) -> Outcome | None:
    """Return the outcome of a branch if the branch that it needs has no value, else None."""
    step = STEPS[branch]
    about: dict[str, Any] = {"step": step.name, "version": step.version, "decided_by": "code"}
    if outcome["status"] == "abstained":
        return Abstained(**about, reason=f"no {need} to judge: {outcome['reason']}")
    if outcome["status"] == "failed":
        reasons = tuple(f"{need}: {reason}" for reason in outcome["reasons"])
        return Failed(**about, kind="input", reasons=reasons)
    return None


def _map(state: CaseState, work: CaseWork) -> Outcome:
    """Map the diagnoses of a case; a prediction that was not extracted is left out."""
    assert work.mapper is not None  # checked when the graph was made
    case, mapper = state["inputs"], work.mapper

    def mapped(text: str) -> MappedText:
        mapped_code = mapper(text)
        code, name = mapped_code if mapped_code is not None else (None, None)
        return MappedText(text=text, code=code, name=name)

    final = state["final_diagnosis"]["status"] == "done"
    ddx = state["ddx"]["status"] == "done"
    value = CaseMapping(
        truth=mapped(case["diagnosis"]),
        truth_ddx=tuple(map(mapped, case["ddx"])),
        final=mapped(_final(state)) if final else None,
        ddx=tuple(map(mapped, _ddx(state))) if ddx else (),
    )
    return Done(**_MAPPING, value=value)


def fail_branch(branch: Branch, kind: Literal["input", "error"], reason: str) -> Failed:
    """Return the failed outcome of a branch that could not run."""
    about: dict[str, Any] = _MAPPING
    if branch != "mapping":
        step = STEPS[branch]
        about = {"step": step.name, "version": step.version, "decided_by": "none"}
    return Failed(**about, kind=kind, reasons=(reason,))
