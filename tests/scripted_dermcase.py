"""A model that answers well about the reports of examples/curate/dermcase."""

import copy
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from .pages import ROOT
from .protocol_server import Act, Seen, say
from .scripted_medsyn import shown
from .test_curation_dermcase import RECORD, SUPPORTED, stage_of

REPORTS = ROOT / "examples/curate/dermcase"
CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parent / "data/curation/dermcase.yaml").read_text("utf-8")
)
TITLES = {"five-workers": "Five workers of one factory", "mixed-twins": "Twin girls of 6 years"}
WRITTEN = [case for cases in CASES.values() for case in cases if "record" in case]
_FIXED: dict[str, Any] = {
    "verify": SUPPORTED,
    "unsupported": {"unsupported": []},
    "same": {"same_disease": "no"},
}
_LESION = [name for name in RECORD if name.startswith("lesion")]
_HISTORY = ["complaint", "present_illness", "past_history", "family_history", "allergies"]


def plain(text: str) -> str:
    """A text without white space and marks, to find a case by its words."""
    return re.sub(r"\W", "", text).lower()


def case_in(text: str) -> dict[str, Any]:
    """The case whose complaint and diagnosis are in a text."""
    return next(c for c in WRITTEN if plain(c["record"]["complaint"][0]) in plain(text))


def said(case: Mapping[str, Any], names: list[str]) -> str:
    """The passages of these fields as one text."""
    texts = [text for name in names for text in case["record"].get(name, [])]
    return "; ".join(texts) or "limited information"


def split(report: str) -> dict[str, Any]:
    """The borders of the cases of a report."""
    for name, title in TITLES.items():
        if title in report:
            return {"borders_are_clear": bool(CASES[name]), "cases": CASES[name]}
    found = [
        cases for cases in CASES.values() if cases and plain(cases[0]["begins"]) in plain(report)
    ]
    bounds = [{"begins": case["begins"], "ends": case["ends"]} for case in found[0]]
    return {"borders_are_clear": True, "cases": bounds}


def reasoning(case: Mapping[str, Any]) -> dict[str, Any]:
    """A reasoning that is made of the record's passages."""
    (truth,) = case["record"]["final_diagnosis"]
    others = [name for name in case["considered"] if name.lower() != truth.lower()]
    listed = [
        {
            "diagnosis": name,
            "support": "the kind of lesions",
            "contradiction": "" if name == truth else "the tests speak against it",
            "weight": "high" if name == truth else "low",
        }
        for name in (truth, *others)
    ]
    return {
        "presentation": said(case, ["age_sex", *_HISTORY]),
        "examination": said(case, _LESION),
        "tests": [{"name": name, "result": result} for name, result in case["tests"]],
        "differential": listed,
        "pathophysiology": "The process that the biopsy or the other tests show explains both the "
        "lesions of the skin and the course of the disease in this patient.",
        "final_diagnosis": truth,
    }


def rejected(case: Mapping[str, Any], *, wrong: bool) -> dict[str, Any]:
    """The reasoning with three faults in parts 2, 3 and 5, of about the same length."""
    parts = copy.deepcopy(reasoning(case))
    del parts["presentation"]
    parts["examination"] += " - typical."
    parts["tests"][-1]["result"] += " by chance"
    parts["pathophysiology"] = (
        "The first impression of the skin tells enough, so that the tests add nothing of weight to "
        "what was thought when this patient entered the room."
        if wrong
        else "The lesions are due to this disease, and this disease is there since the lesions "
        "are; nothing else can be at work in the skin of this patient."
    )
    names = ("anchoring", "premature closure", "overconfidence")
    other = ("hasty generalisation", "false cause", "circular reasoning")
    parts["flaws"] = [
        {"name": name, "part": part, "explanation": "does not follow"}
        for name, part in zip(names if wrong else other, (2, 3, 5), strict=True)
    ]
    if wrong:
        parts["final_diagnosis"] = parts["differential"][1]["diagnosis"]
    return parts


def question(case: Mapping[str, Any]) -> dict[str, Any]:
    """A question that is made of the history."""
    patient = said(case, ["age_sex"])
    return {
        "question": f"A patient ({patient}) is seen with {said(case, ['complaint'])}. The images "
        "show the skin. Which diagnosis do they suggest, and what are the reasons for it?"
    }


def good(seen: Seen) -> Any:
    """A good answer to any request of the procedure."""
    stage = stage_of(seen)
    if stage == "split":
        return split(shown(seen, "report"))
    if stage == "considered":
        text = plain(seen.user)
        names: list[str] = next(
            (c["considered"] for c in WRITTEN if plain(c["considered"][0]) in text), []
        )
        return {"diagnoses": names}
    if stage in _FIXED:
        return _FIXED[stage]
    case = case_in(seen.user)
    if stage == "record":
        return {**dict.fromkeys(RECORD, []), **case["record"]}
    if stage in ("question", "reasoning"):
        return {"question": question, "reasoning": reasoning}[stage](case)
    return rejected(case, wrong=stage == "wrong diagnosis")


def script(
    answers: Mapping[str, Callable[[Seen, int], Any]] | None = None,
) -> Callable[[Seen], Any]:
    """A script for a server; `answers` (stage -> function) replaces good answers, None does not."""
    counts: dict[str, int] = {}

    def answer(seen: Seen) -> Any:
        stage = stage_of(seen)
        counts[stage] = counts.get(stage, 0) + 1
        other = answers[stage](seen, counts[stage]) if answers and stage in answers else None
        if isinstance(other, Act):
            return other
        return say(good(seen) if other is None else other)

    return answer
