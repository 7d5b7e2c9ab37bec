"""Plan the calls of `answer`: which row of the responses asks which model what about which case."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from ...agents.answering.asked import AskInput, step_of
from ...agents.answering.case import Presentation, Shown, evidence_of, show, types_of
from ...agents.answering.form import Ask, Form, vary_form
from ...agents.engine.call import check_reply
from ...agents.engine.judges import Judge
from ...agents.step import Step
from ...cache.key import fingerprint
from ...errors import InputError, UsageError
from ...files.counted import counted
from ..cases import Source
from ..cells import read_options, text_of


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is asked besides the form.

    models: name -> model. samples: how often each question is asked. variants: further wordings of
    the prompts. withheld: types of evidence; each case is asked again without each of them.
    presentations: "image", "text" or both; without any, evidence is shown with its text and image.
    """

    models: Mapping[str, Judge]
    samples: int = 1
    variants: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    presentations: tuple[Presentation, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row of the responses, and why it cannot be asked, if so."""

    case: str
    model: str
    sample: int = 0
    variant: str = ""
    withheld: str = ""
    presented_as: Presentation = ""
    fault: str = ""


@dataclass(frozen=True, eq=False)
class Item:
    """One call for one row. option: the letter of the option whose likelihood is asked."""

    row: int
    ask: Ask
    step: Step[Any, Any]
    judge: Judge
    repeat: int
    inputs: AskInput
    letters: tuple[str, ...]
    option: str = ""

    @property
    def key(self) -> str:
        """The key in the journal: the model, the question and everything that is shown."""
        return fingerprint(
            [
                self.judge.spec.model_dump(mode="json"),
                self.step.load_prompt().hash,
                self.ask.reply,
                self.repeat,
                self.inputs.model_dump(mode="json"),
            ]
        )


@dataclass(frozen=True)
class AnswerPlan:
    """The rows and calls of a run. notes: what is not asked, for the summary."""

    form: Form
    settings: Settings
    rows: tuple[Row, ...]
    items: tuple[Item, ...]
    notes: tuple[str, ...] = field(default=())


def plan_answers(source: Source, form: Form, settings: Settings, folder: Path) -> AnswerPlan:
    """Plan the rows and calls of all cases. folder: where relative paths of images begin.

    Raises UsageError for a variant or a model that the form cannot use, or a type of evidence that
    no case has; InputError, naming the row, for an id that is missing or occurs twice.
    """
    wordings = {variant: vary_form(form, variant) for variant in ("", *settings.variants)}
    steps = {
        (variant, place): step_of(ask)
        for variant, worded in wordings.items()
        for place, ask in enumerate(worded.asks)
    }
    for judge, step in product(settings.models.values(), steps.values()):
        check_reply(judge.spec, step.reply)
    cases = _cases(source)
    plan = _Plan(wordings, steps, settings, folder)
    counts: Counter[str] = Counter()
    rows: list[Row] = []
    items: list[Item] = []
    for (name, judge), (case, row) in product(settings.models.items(), cases.items()):
        for planned, shown in plan.rows(case, name, row, counts):
            asked = plan.items(len(rows), planned, shown, row, judge) if shown else []
            fault = planned.fault or ("" if asked else plan.nothing(form))
            rows.append(Row(**{**vars(planned), "fault": fault}))
            items += asked
    _check_withheld(settings, counts)
    if not items:
        columns = ", ".join(dict.fromkeys(name for row in source.rows for name in row))
        raise InputError(f"{source.name}: nothing can be asked: {rows[0].fault}; it has {columns}")
    notes = tuple(_notes(settings, counts))
    return AnswerPlan(form, settings, tuple(rows), tuple(items), notes)


def _cases(source: Source) -> dict[str, dict[str, Any]]:
    cases: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(source.rows, 1):
        place = f"{source.name}, row {number}"
        case = text_of(row.get("id"))
        if not case:
            raise InputError(f"{place}: the id is missing")
        if case in cases:
            raise InputError(f"{place}: the id {case!r} occurs twice")
        cases[case] = {**row, "options": read_options(row, place)}
    if not cases:
        raise InputError(f"{source.name} has no case")
    return cases


@dataclass(frozen=True)
class _Plan:
    wordings: Mapping[str, Form]
    steps: Mapping[tuple[str, int], Step[Any, Any]]
    settings: Settings
    folder: Path

    def rows(
        self, case: str, model: str, row: Mapping[str, Any], counts: Counter[str]
    ) -> Iterator[tuple[Row, Shown | None]]:
        """Yield the rows of a case, each with what the model sees; None where that is unusable."""
        types, fault = self._types(row)
        for variant, presented, withheld in product(
            self.wordings, self.settings.presentations or ("",), ("", *self.settings.withheld)
        ):
            if withheld and not fault and withheld.casefold() not in types:
                counts[withheld] += variant == "" and presented in ("", *self._first)
                continue
            counts[f"with {withheld}"] += bool(withheld)
            shown, problem = self._show(row, withheld, presented) if not fault else (None, fault)
            for sample in range(self.settings.samples):
                yield Row(
                    case=case, model=model, sample=sample, variant=variant, withheld=withheld,
                    presented_as=presented, fault=problem,
                ), shown  # fmt: skip

    @property
    def _first(self) -> tuple[str, ...]:
        return self.settings.presentations[:1]

    def _types(self, row: Mapping[str, Any]) -> tuple[set[str], str]:
        try:
            return types_of(evidence_of(row, self.folder)), ""
        except InputError as fault:
            return set(), str(fault)

    def _show(
        self, row: Mapping[str, Any], withheld: str, presented: Presentation
    ) -> tuple[Shown | None, str]:
        try:
            return show(row, self.folder, withheld=withheld, presented_as=presented), ""
        except InputError as fault:
            return None, str(fault)

    def items(
        self, place: int, row: Row, shown: Shown, case: Mapping[str, Any], judge: Judge
    ) -> list[Item]:
        """Return the calls of a row: for each column the first question that the case can fill."""
        options: Mapping[str, str] = case["options"]
        written: set[str] = set()
        items: list[Item] = []
        for number, ask in enumerate(self.wordings[row.variant].asks):
            fields = _fields(ask, shown, options)
            if ask.writes in written or fields is None:
                continue
            written.add(ask.writes)
            step = self.steps[row.variant, number]
            texts = options if ask.reply == "likelihood" else {"": ""}
            items += [
                Item(
                    place, ask, step, judge, row.sample,
                    AskInput(fields=fields, images=shown.images, continuation=text),
                    tuple(options), letter,
                )
                for letter, text in texts.items()
            ]  # fmt: skip
        return items

    @staticmethod
    def nothing(form: Form) -> str:
        """Say what a case must have for one of the form's questions."""
        needs = " or ".join(dict.fromkeys(" and ".join(sorted(_needs(ask))) for ask in form.asks))
        return f"input: the case lacks the field {needs}, which the form {form.name} asks about"


def _needs(ask: Ask) -> set[str]:
    by_options = ask.reply in ("probabilities", "likelihood")
    return set(ask.prompt.placeholders) | ({"options"} if by_options else set())


def _fields(
    ask: Ask, shown: Shown, options: Mapping[str, str]
) -> dict[str, str | list[str]] | None:
    """Return the values of a prompt's placeholders; None if the case lacks one."""
    listed = "\n".join(f"{letter}. {text}" for letter, text in options.items())
    known = {**shown.fields, "options": listed}
    if any(not known.get(name) for name in _needs(ask)):
        return None
    fields = {name: known[name] for name in ask.prompt.placeholders}
    if "question" in fields and not {"case", "evidence"} & set(fields) and known["case"]:
        fields["question"] = f"{known['case']}\n\n{fields['question']}"
    return fields


def _check_withheld(settings: Settings, counts: Counter[str]) -> None:
    for kind in settings.withheld:
        if not counts[f"with {kind}"]:
            raise UsageError(f"no case has evidence of type {kind!r} to withhold")


def _notes(settings: Settings, counts: Counter[str]) -> Iterator[str]:
    for kind in settings.withheld:
        if lacking := counts[kind] // len(settings.models):
            cases = counted(lacking, "case")
            yield f"{cases} without evidence of type {kind} that could be withheld"


def groups_of(items: Sequence[Item]) -> list[list[int]]:
    """Return the positions of items that share step, model and repeat, in order."""
    groups: dict[tuple[int, str, int], list[int]] = {}
    for position, item in enumerate(items):
        place = (id(item.step), item.judge.spec.model_dump_json(), item.repeat)
        groups.setdefault(place, []).append(position)
    return list(groups.values())
