"""Carries out the tasks of an evaluation: extract, map every diagnosis once, judge."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..agents.judge_equivalence import MappedCode, with_ontology
from ..agents.outcome import Abstained, Failed, Outcome
from ..agents.step import Step
from ..errors import UsageError
from ..ontology.tree import Tree, load_tree
from .cases import Case
from .coding import Codes, MapTexts, code_texts
from .judged import MISSING, Diagnoses, Judged, LeftOut, Responses, collect, first_response
from .judging import NO_JUDGE, Item, JudgedItem, Panel, RecordKey, judged_item
from .records import Recorded
from .settings import Settings
from .task import Material, Task, items_of
from .tasks import tasks_of

_FLAG = "pass --judge, for example --judge openai:gpt-4o"


@dataclass(frozen=True)
class Coder:
    """How diagnoses get codes: a mapper, its signature, and the canonical tables.

    table: the canonical table that is read and written back. aside: the table of what this
    evaluation used. release: called when all is mapped, to free the mapper's memory; None keeps it.
    """

    map_texts: MapTexts
    signature: Callable[[], Mapping[str, Any]]
    table: Path | None = None
    aside: Path | None = None
    release: Callable[[], None] | None = None


def judge_all(
    cases: tuple[Case, ...],
    responses: Mapping[str, Responses],
    settings: Settings,
    panel: Panel,
    coder: Coder | None = None,
) -> Judged:
    """Carry out the tasks of the settings, as far as the data and the panel allow.

    A task that cannot be done is listed in `left_out`. A failed item is recorded like any other.

    Raises UsageError where no task can be done. An error that stops a run (a provider refuses
    the key, a file cannot be written) is raised too.
    """
    work = _Work(cases, responses, settings, panel, coder)
    tasks = tasks_of(settings)
    judged: list[JudgedItem] = []
    extracted = work.extract(tasks, judged)
    finals, ddx = extracted["final"], extracted["ddx"]
    left_out = [LeftOut(task.name, lack) for task in tasks if (lack := work.lack(task))]
    done = [task for task in tasks if all(task.name != entry.task for entry in left_out)]
    codes, tree = work.code(finals, ddx, done)
    for task in done:
        if task.extracts or task.step is None:
            continue
        material = Material(cases, responses, settings, finals, ddx, tuple(judged))
        items = items_of(task, material)
        if items:
            judged += panel.ask(work.step(task, codes, tree), items)
    computed = any(task.step is None for task in done)
    if not judged and codes is None and not (finals or ddx or computed):
        raise UsageError("nothing can be evaluated: " + "; ".join(e.reason for e in left_out))
    return Judged(
        cases,
        tuple(responses),
        responses,
        panel.names,
        collect(judged),
        finals,
        ddx,
        codes,
        tree,
        tuple(left_out),
    )


@dataclass(frozen=True)
class Planned:
    """The questions of a task that are known before a judge has answered anything.

    first_only: only the first judge is asked.
    """

    task: str
    step: Step[Any, Any]
    items: tuple[Item, ...]
    first_only: bool


def planned(
    cases: tuple[Case, ...],
    responses: Mapping[str, Responses],
    settings: Settings,
    records: Mapping[RecordKey, Outcome] | None = None,
) -> tuple[tuple[Planned, ...], int]:
    """Return what every task would ask, and how many responses a model must extract from first.

    Diagnoses come from the file, from rules, and from the `records` of an earlier run. Nothing is
    asked. The tasks that judge extracted diagnoses ask more than is listed here, as soon as these
    are known.
    """
    work = _Work(cases, responses, settings, Panel(records=records or {}), None)
    tasks = tasks_of(settings)
    by_rules: list[JudgedItem] = []
    extracted = work.extract(tasks, by_rules)
    material = Material(cases, responses, settings, extracted["final"], extracted["ddx"])
    plans = [
        Planned(
            task.name,
            task.step(settings),
            tuple(items_of(task, material)),
            bool(task.extracts),
        )
        for task in tasks
        if task.step is not None and not task.lack(cases)
    ]
    return tuple(plans), sum(item.outcome.status == "failed" for item in by_rules)


def replayed(recorded: Recorded) -> list[JudgedItem]:
    """Return what a recorded evaluation judged, task by task; nothing is asked."""
    cases, responses, settings = recorded.cases, recorded.responses, recorded.settings
    panel = Panel(records=recorded.outcomes)
    labels = [judge.label for judge in recorded.judges] or [NO_JUDGE]
    work = _Work(cases, responses, settings, panel, None)
    judged: list[JudgedItem] = []
    extracted = work.extract(tasks_of(settings), judged)
    for task in tasks_of(settings):
        if task.extracts or task.step is None or task.lack(cases):
            continue
        finals, ddx = extracted["final"], extracted["ddx"]
        items = items_of(task, Material(cases, responses, settings, finals, ddx, tuple(judged)))
        step = task.step(settings)
        known = [(label, item, panel.recorded(label, step, item))
                 for label in labels for item in items]  # fmt: skip
        judged += [
            judged_item(step, item, label, outcome)
            for label, item, outcome in known
            if outcome is not None
        ]
    return judged


@dataclass(frozen=True)
class _Work:
    cases: tuple[Case, ...]
    responses: Mapping[str, Responses]
    settings: Settings
    panel: Panel
    coder: Coder | None

    def lack(self, task: Task) -> str:
        """The reason why a task cannot be done; "" where it can."""
        if task.extracts:
            return ""
        if reason := task.lack(self.cases):
            return reason
        if task.name == "map_to_icd10" and self.coder is None:
            return "it needs a mapper; pass a coder"
        if task.step is None or (task.by_ontology and self.coder is not None):
            return ""
        return "" if self.panel.can(task.step(self.settings)) else f"it needs a model: {_FLAG}"

    def extract(
        self, tasks: Sequence[Task], judged: list[JudgedItem]
    ) -> dict[str, dict[tuple[str, str], Diagnoses]]:
        """Extract the diagnoses of every response; the items that were asked go into `judged`."""
        material = Material(self.cases, self.responses, self.settings, {}, {})
        extracted: dict[str, dict[tuple[str, str], Diagnoses]] = {"final": {}, "ddx": {}}
        for task in tasks:
            if not task.extracts or task.step is None:
                continue
            items = items_of(task, material)
            step = task.step(self.settings)
            answers = self.panel.ask(step, items, first_only=True) if items else []
            judged += answers
            by_case = {(answer.model, answer.case): answer for answer in answers}
            for model, by_id in self.responses.items():
                for case in self.cases:
                    key = (model, case.id)
                    from_file = self._given(task, by_id, case.id)
                    extracted[task.extracts][key] = from_file or _extracted(by_case.get(key))
        return extracted

    def _given(self, task: Task, responses: Responses, case: str) -> Diagnoses | None:
        response = first_response(responses.get(case, ()))
        if response is None:
            return None
        if task.extracts == "ddx" and response.ddx is not None:
            status = "done" if response.ddx else "abstained"
            return Diagnoses(status, response.ddx)  # type: ignore[arg-type]
        if task.extracts == "final" and response.diagnosis is not None:
            return Diagnoses("done", (response.diagnosis,))
        return None

    def code(
        self,
        finals: Mapping[tuple[str, str], Diagnoses],
        ddx: Mapping[tuple[str, str], Diagnoses],
        tasks: Sequence[Task],
    ) -> tuple[Codes | None, Tree | None]:
        """Map every diagnosis of cases and responses through one canonical table."""
        mapped = any(task.name == "map_to_icd10" for task in tasks)
        stands_in = not self.panel.judges and any(task.by_ontology for task in tasks)
        if self.coder is None or not (mapped or stands_in):
            return None, None
        tree = load_tree(self.settings.ontology)
        texts = list(_gold_texts(self.cases, tree))
        for diagnoses in (*finals.values(), *ddx.values()):
            texts += diagnoses.names
        signature = dict(self.coder.signature())
        codes = code_texts(
            texts,
            self.coder.map_texts,
            tree,
            signature=signature,
            table=self.coder.table,
            aside=self.coder.aside,
        )
        if self.coder.release:
            self.coder.release()
        return codes, tree

    def step(self, task: Task, codes: Codes | None, tree: Tree | None) -> Step[Any, Any]:
        """The step of a task; without a judge the ontology decides equivalence."""
        assert task.step is not None
        step = task.step(self.settings)
        if not task.by_ontology or codes is None or tree is None or self.panel.judges:
            return step
        known = _given_codes(self.cases, codes, tree)

        def mapper(text: str) -> MappedCode | None:
            return known.get(text) or codes.mapper(text)

        return with_ontology(step, mapper, decide_different=True)


def _extracted(item: JudgedItem | None) -> Diagnoses:
    """The diagnoses of an extraction; None is a response without a text to extract from."""
    if item is None:
        return MISSING
    outcome = item.outcome
    if isinstance(outcome, Failed):
        return Diagnoses("failed", (), outcome.decided_by, "; ".join(outcome.reasons))
    if isinstance(outcome, Abstained):
        return Diagnoses("abstained", (), outcome.decided_by, outcome.reason)
    value = outcome.value
    names = value.diagnoses if hasattr(value, "diagnoses") else (value.diagnosis,)
    return Diagnoses("done", tuple(names), outcome.decided_by)


def _given_codes(cases: Sequence[Case], codes: Codes, tree: Tree) -> dict[str, MappedCode]:
    """The codes that the file of cases gives for the true diagnoses.

    Of several codes it is the one that the mapper chose too, else the first.
    """
    by_text = {}
    for diagnosis in (case.diagnosis for case in cases if case.diagnosis):
        nodes = [tree.node(code) for code in diagnosis.codes if tree.contains(code)]
        if nodes:
            mapped = codes.mapper(diagnosis.text)
            node = next((n for n in nodes if mapped and n.code == mapped.code), nodes[0])
            by_text[diagnosis.text] = MappedCode(node.code, tree.name(node))
    return by_text


def _gold_texts(cases: Sequence[Case], tree: Tree) -> Iterator[str]:
    for case in cases:
        for diagnosis in (case.diagnosis, *case.ddx):
            if diagnosis is not None:
                yield diagnosis.text
