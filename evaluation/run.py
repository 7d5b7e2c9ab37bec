"""From cases and responses to everything judged: extract, map once for all, judge."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..agents.judge_equivalence import MappedCode, with_ontology
from ..agents.outcome import Abstained, Failed
from ..agents.step import Step
from ..errors import UsageError
from ..ontology.tree import Tree, load_tree
from .asking import Material, items_of, step_of
from .cases import Case
from .coding import Codes, MapTexts, code_texts
from .judged import MISSING, Found, Judged, LeftOut, Responses, collect, first_response
from .judging import Item, Panel, Verdict
from .settings import Settings

_EXTRACTIONS = ("extract_final_diagnosis", "extract_ddx")
_EQUIVALENCES = ("judge_equivalence", "judge_equivalence_ddx")
_NOT_ASKED = ("map_to_icd10", "semantic", "text_overlap", "evidence_sensitivity", *_EXTRACTIONS)
_FLAG = "pass --judge, for example --judge openai:gpt-4o"


@dataclass(frozen=True)
class Coder:
    """How diagnoses get codes: a mapper, what makes its mappings again, and the tables."""

    map_texts: MapTexts
    signature: Callable[[], Mapping[str, Any]]
    table: Path | None = None
    aside: Path | None = None


def judge_all(
    cases: tuple[Case, ...],
    responses: Mapping[str, Responses],
    settings: Settings,
    panel: Panel,
    coder: Coder | None = None,
) -> Judged:
    """Carry out the tasks that the settings name and the data and the panel allow.

    What cannot be done is listed in `left_out`. An item that fails is a verdict like any other.

    Raises UsageError where nothing at all can be done, and what stops a run (a key that is
    refused, a file that cannot be written).
    """
    work = _Work(cases, responses, settings, panel, coder)
    verdicts: list[Verdict] = []
    finals, ddx = work.extract(verdicts)
    left_out = list(work.left_out())
    skipped = {entry.task for entry in left_out}
    codes, tree = work.code(finals, ddx, skipped)
    material = Material(cases, responses, settings, finals, ddx)
    for task in settings.tasks:
        if task in _NOT_ASKED or task in skipped:
            continue
        items = items_of(task, material)
        if task == "label_errors" and settings.preset == "medlesionvqa":
            items = _wrong_answers(items, verdicts, cases)
        if items:
            verdicts += panel.ask(work.step(task, codes, tree), items)
    if not verdicts and codes is None and not (finals or ddx):
        raise UsageError("nothing can be evaluated: " + "; ".join(e.reason for e in left_out))
    return Judged(
        cases,
        tuple(responses),
        responses,
        panel.names,
        collect(verdicts),
        finals,
        ddx,
        codes,
        tree,
        tuple(left_out),
    )


@dataclass(frozen=True)
class _Work:
    cases: tuple[Case, ...]
    responses: Mapping[str, Responses]
    settings: Settings
    panel: Panel
    coder: Coder | None

    def left_out(self) -> Iterator[LeftOut]:
        """The tasks that cannot be done, each with the reason."""
        for task in self.settings.tasks:
            reason = self._lack(task)
            if reason:
                yield LeftOut(task, reason)

    def _lack(self, task: str) -> str:
        lacking = _DATA.get(task)
        if lacking and not any(lacking[0](case) for case in self.cases):
            return lacking[1]
        if task == "map_to_icd10" and self.coder is None:
            return "no mapper was given"
        if task in _NOT_ASKED or (task in _EQUIVALENCES and self.coder is not None):
            return ""
        if not self.panel.can(step_of(task, self.settings)):
            return f"it takes a model: {_FLAG}"
        return ""

    def extract(
        self, verdicts: list[Verdict]
    ) -> tuple[dict[tuple[str, str], Found], dict[tuple[str, str], Found]]:
        """The final diagnosis and the differential of every response; verdicts are added."""
        material = Material(self.cases, self.responses, self.settings, {}, {})
        found: dict[str, dict[tuple[str, str], Found]] = {}
        for task in _EXTRACTIONS:
            found[task] = {}
            if task not in self.settings.tasks:
                continue
            items = items_of(task, material)
            step = step_of(task, self.settings)
            made = self.panel.ask(step, items, first_only=True) if items else []
            verdicts += made
            by_case = {(each.model, each.case): each for each in made}
            for model, by_id in self.responses.items():
                for case in self.cases:
                    key = (model, case.id)
                    given = self._given(task, by_id, case.id)
                    found[task][key] = given or _found(by_case.get(key))
        return found[_EXTRACTIONS[0]], found[_EXTRACTIONS[1]]

    def _given(self, task: str, responses: Responses, case: str) -> Found | None:
        response = first_response(responses.get(case, ()))
        if response is None:
            return None
        if task == "extract_ddx" and response.ddx is not None:
            status = "done" if response.ddx else "abstained"
            return Found(status, response.ddx)  # type: ignore[arg-type]
        if task == "extract_final_diagnosis" and response.diagnosis is not None:
            return Found("done", (response.diagnosis,))
        return None

    def code(
        self,
        finals: Mapping[tuple[str, str], Found],
        ddx: Mapping[tuple[str, str], Found],
        skipped: set[str],
    ) -> tuple[Codes | None, Tree | None]:
        """Map every diagnosis of cases and responses through one table."""
        asked = {"map_to_icd10", *_EQUIVALENCES} & set(self.settings.tasks)
        by_ontology = "map_to_icd10" in asked or not self.panel.judges
        if self.coder is None or not asked - skipped or not by_ontology:
            return None, None
        tree = load_tree(self.settings.ontology)
        texts = list(_gold_texts(self.cases, tree))
        for found in (*finals.values(), *ddx.values()):
            texts += found.names
        signature = dict(self.coder.signature())
        codes = code_texts(
            texts,
            self.coder.map_texts,
            tree,
            signature=signature,
            table=self.coder.table,
            aside=self.coder.aside,
        )
        return codes, tree

    def step(self, task: str, codes: Codes | None, tree: Tree | None) -> Step[Any, Any]:
        """The step of a task; without a judge the ontology stands in for equivalence."""
        step = step_of(task, self.settings)
        if task not in _EQUIVALENCES or codes is None or tree is None or self.panel.judges:
            return step
        given = _given_codes(self.cases, codes, tree)

        def mapper(text: str) -> MappedCode | None:
            return given.get(text) or codes.mapper(text)

        return with_ontology(step, mapper, decide_different=True)


def _found(verdict: Verdict | None) -> Found:
    """What an extraction came to; without one there was no text to extract from."""
    if verdict is None:
        return MISSING
    outcome = verdict.outcome
    if isinstance(outcome, Failed):
        return Found("failed", (), outcome.decided_by, "; ".join(outcome.reasons))
    if isinstance(outcome, Abstained):
        return Found("abstained", (), outcome.decided_by, outcome.reason)
    value = outcome.value
    names = value.diagnoses if hasattr(value, "diagnoses") else (value.diagnosis,)
    return Found("done", tuple(names), outcome.decided_by)


def _given_codes(cases: Sequence[Case], codes: Codes, tree: Tree) -> dict[str, MappedCode]:
    """The codes that the file gives for the true diagnoses; of several the mapped one, if it is
    among them, else the first.
    """
    given = {}
    for diagnosis in (case.diagnosis for case in cases if case.diagnosis):
        nodes = [tree.node(code) for code in diagnosis.codes if tree.contains(code)]
        if nodes:
            mapped = codes.mapper(diagnosis.text)
            node = next((n for n in nodes if mapped and n.code == mapped.code), nodes[0])
            given[diagnosis.text] = MappedCode(node.code, tree.name(node))
    return given


def _gold_texts(cases: Sequence[Case], tree: Tree) -> Iterator[str]:
    for case in cases:
        for diagnosis in (case.diagnosis, *case.ddx):
            if diagnosis is not None:
                yield diagnosis.text


def _wrong_answers(
    items: Sequence[Item], verdicts: Sequence[Verdict], cases: Sequence[Case]
) -> list[Item]:
    """The items whose answer the first judge found not fully right."""
    from .measures.answered import answer_score

    by_id = {case.id: case for case in cases}
    right = {
        (each.model, each.case, each.response)
        for each in verdicts
        if each.task in ("match_option", "score_open_answer")
        and answer_score(each, by_id[each.case]) == 1
    }
    return [item for item in items if (item.model, item.case, item.response) not in right]


_DATA: dict[str, tuple[Callable[[Case], Any], str]] = {
    "judge_equivalence": (lambda case: case.diagnosis, "no case has a diagnosis"),
    "judge_equivalence_ddx": (lambda case: case.diagnosis, "no case has a diagnosis"),
    "map_to_icd10": (lambda case: case.diagnosis or case.ddx, "no case has a diagnosis"),
    "grade_ddx": (lambda case: case.diagnosis, "no case has a diagnosis"),
    "grade_final_diagnosis": (lambda case: case.diagnosis, "no case has a diagnosis"),
    "score_rubric": (lambda case: case.reference and case.case, "no case has text and reference"),
    "label_errors": (
        lambda case: case.reference or case.answer,
        "no case has a reference or an answer",
    ),
    "match_option": (lambda case: case.options, "no case has options"),
    "score_free_answer": (lambda case: len(case.options) == 2, "no case has two options"),
    "score_open_answer": (
        lambda case: case.answer and not case.options,
        "no case is an open question",
    ),
    "semantic": (lambda case: case.ddx or case.diagnosis, "no case has a diagnosis"),
    "text_overlap": (lambda case: case.diagnosis, "no case has a diagnosis"),
    "choose_best": (lambda case: case.question, "no case has a question"),
    "evidence_sensitivity": (lambda case: case.options, "no case has options"),
}
