"""A model that answers well about the reports of examples/curate/medsyn."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from .pages import ROOT
from .protocol_server import Act, Seen, say

REPORTS = ROOT / "examples/curate/medsyn"
CASES: dict[str, dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "data/curation/medsyn.yaml").read_text("utf-8")
)
SECTIONS = ("background", "laboratory", "medication", "impressions")
_STAGES = {
    "final_diagnosis": "verify",
    "background": "evidence",
    "diagnoses": "considered",
    "paragraph": "summary",
    "unsupported": "unsupported",
    "distractors": "options",
    "same_disease": "same",
    "option": "guess",
}
_END = re.compile(r"(?<!Fig)\.(?=\s|$)")

Answers = Mapping[str, Callable[[Seen, int], Any]]
"""Stage -> an answer to the n-th request of this stage, from 1; None to answer well."""


def shown(seen: Seen, name: str) -> str:
    """The value of an untrusted placeholder, which stands between marks."""
    block = re.search(rf"<{name}-\w+>\n(.*?)\n</{name}-", seen.user, re.DOTALL)
    assert block, seen.user
    return block[1]


def stage_of(seen: Seen) -> str:
    """The stage that asks, by the form of the answer that it wants."""
    fields = (seen.schema or {})["properties"]
    return next(stage for name, stage in _STAGES.items() if name in fields)


def passage(report: str, begins: str) -> str:
    """The sentence with these first words; with a bar at their end, the line."""
    start = report.index(begins.rstrip("|"))
    if begins.endswith("|"):
        return report[start:].split("\n")[0]
    end = _END.search(report, start)
    return report[start : end.end() if end else None]


def evidence(report: str, case: Mapping[str, Any]) -> dict[str, Any]:
    """The passages of a report by section and modality."""
    sections = {name: [passage(report, text) for text in case[name]] for name in SECTIONS}
    modalities = [
        {"modality": name, "passages": [passage(report, t) for t in texts], "figures": figures}
        for name, texts, figures in case["evidence"]
    ]
    return {**sections, "evidence": modalities, "diagnosis": [case["diagnosis"]]}


def good(seen: Seen) -> Any:
    """A good answer to any request of the procedure."""
    stage, text = stage_of(seen), seen.user
    if stage == "evidence":
        report = shown(seen, "report")
        return evidence(report, next(c for c in CASES.values() if c["background"][0] in report))
    if stage == "verify":
        names = (seen.schema or {})["properties"]
        return {name: {"fault": "", "supported": True} for name in names}
    if stage == "considered":
        lists = (c["considered"] for c in CASES.values() if c["impressions"][0] in text)
        return {"diagnoses": next(lists, [])}
    if stage == "summary":
        passages = re.sub(r"(?m)^- ", "", shown(seen, "passages"))
        return {"paragraph": " ".join(passages.split())}
    if stage == "options":
        truth = shown(seen, "truth")
        case = next(c for c in CASES.values() if c["diagnosis"] == truth)
        # A new draw has the last diagnosis of the differential in place of the first one chosen.
        left = [name for name in case["considered"] if name not in case["chosen"]]
        names = [*left, *case["chosen"]][:3] if "(none)" not in shown(seen, "earlier") else None
        return {"distractors": [{"considered": n, "option": n} for n in names or case["chosen"]]}
    return {"unsupported": {"unsupported": []}, "same": {"same_disease": "no"}}.get(
        stage, {"reason": "It stands first.", "option": "A"}
    )


def script(answers: Answers | None = None) -> Callable[[Seen], Any]:
    """A script for a server; `answers` replaces good answers."""
    counts: dict[str, int] = {}

    def answer(seen: Seen) -> Any:
        stage = stage_of(seen)
        counts[stage] = counts.get(stage, 0) + 1
        other = answers[stage](seen, counts[stage]) if answers and stage in answers else None
        if isinstance(other, Act):
            return other
        return say(good(seen) if other is None else other)

    return answer
