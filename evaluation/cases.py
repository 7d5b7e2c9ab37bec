"""The cases and responses of an evaluation, and how plain rows are read as such.

A row is a mapping from column to cell. A list may be a list, a JSON or Python literal, or text
with a semicolon between entries. docs/evaluate.md lists the columns.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import Any

from pydantic import ValidationError

from ..agents.judge_criteria import Criterion
from ..agents.step import problems_of
from ..errors import InputError
from ..files.nearest import did_you_mean
from ..ontology.reading.normalise import normalise_text
from .cells import (
    Row,
    answer_of,
    is_empty,
    letters_of,
    listed_diagnoses,
    read_list,
    read_options,
    read_predictions,
    read_probabilities,
    read_scores,
    text_of,
    values_of,
)

USUAL_GROUPS = (
    "specialty",
    "language",
    "ability",
    "category",
    "department",
    "modality",
    "evidence_types",
    "theme",
)


@dataclass(frozen=True)
class Diagnosis:
    """A true diagnosis, and its codes where the file gives them."""

    text: str
    codes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """One case, one question, or one item of a pair.

    options: letter -> text.
    answer: the right letters, or the reference of an open question.
    criteria: what a response should do, and which faults it should not have, with points.
    physicians: what each physician said of the only criterion: met or not.
    groups: column -> the values of the case in it.
    columns: the cells that only your own tasks read.
    images: the whole paths of files, addresses, or data URLs, for the pages that show the case.
    """

    id: str
    case: str = ""
    reference: str = ""
    diagnosis: Diagnosis | None = None
    ddx: tuple[Diagnosis, ...] = ()
    question: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""
    kind: str = "other"
    pair: str = ""
    criteria: tuple[Criterion, ...] = ()
    physicians: tuple[bool, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)
    images: tuple[str, ...] = ()

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """The right options, in the order of the options."""
        return tuple(letter for letter in self.options if letter in letters_of(self.answer))


@dataclass(frozen=True)
class Response:
    """The response of a model under test to a case.

    diagnosis, ddx: None where the file does not give them, so that they must be extracted.
    sample, variant: the names of repeated answers, and of variants of the prompt.
    withheld: the type of evidence that the model did not see.
    presented_as: image or text, where the same evidence is presented in both ways.
    answered: the answer to the case's question, where it is not the response itself.
    answer_form: free or letter, what the model was asked for; "" where the file does not say it.
    scores: option letter -> any number; the option with the highest is the answer.
    probabilities: option letter -> probability, summing to 1.
    fault: why the probabilities cannot be used.
    scaled: whether the probabilities were rounded, and were scaled to sum to 1.
    columns: the cells that only your own tasks read.
    """

    case: str
    text: str | None = None
    diagnosis: str | None = None
    ddx: tuple[str, ...] | None = None
    sample: str = ""
    variant: str = ""
    withheld: str = ""
    presented_as: str = ""
    answered: str | None = None
    answer_form: str = ""
    scores: Mapping[str, float] | None = None
    probabilities: Mapping[str, float] | None = None
    fault: str = ""
    scaled: bool = False
    columns: Mapping[str, Any] = field(default_factory=dict)

    @property
    def wording(self) -> str:
        """What the model saw: the prompt variant, and the presentation of the evidence."""
        return f"{self.variant} {self.presented_as}".strip()

    @property
    def answer(self) -> str | None:
        """The answer to the case's question; None without one.

        With scores or probabilities alone it is the letter of the option with the highest, and
        None where several options have it.
        """
        if self.answered is not None or self.text is not None:
            return self.text if self.answered is None else self.answered
        values = self.scores or self.probabilities
        if not values:
            return None
        most = max(values.values())
        likeliest = [letter for letter, value in values.items() if value == most]
        return likeliest[0] if len(likeliest) == 1 else None


@dataclass(frozen=True)
class Source:
    """Rows, and the name of their file for messages.

    foreign: the rows are in the layout of another tool, and not all of its columns are read.
    numbers: of the rows in their file, where they are a part of it; otherwise they begin with 1.
    """

    name: str
    rows: Sequence[Row]
    foreign: bool = False
    numbers: Sequence[int] = ()

    def placed(self) -> Iterator[tuple[str, Row]]:
        """Yield each row with the file and the number that a message names."""
        for number, row in zip(self.numbers or count(1), self.rows, strict=False):
            yield f"{self.name}, row {number}", row


def read_cases(
    source: Source, groups: Sequence[str] | None = None, own: Collection[str] = ()
) -> tuple[Case, ...]:
    """Read the cases from rows.

    Args:
        source: the rows.
        groups: the columns to break scores down by; by default the usual ones that the file has
            (specialty, language, ability, ...).
        own: further columns to keep, for your own tasks.

    Raises InputError, naming the row, for a missing or repeated id, a list that cannot be
    read, an answer that is none of the options, or a group column that no row has.
    """
    columns = {name for row in source.rows for name in row}
    wanted = [name for name in USUAL_GROUPS if name in columns] if groups is None else groups
    for name in wanted:
        if name not in columns:
            hint = did_you_mean(name, columns, f"it has {', '.join(sorted(columns))}")
            raise InputError(f"{source.name} has no group column {name!r}; {hint}")
    cases: dict[str, Case] = {}
    for place, row in source.placed():
        case = replace(_case(row, wanted, place), columns=_kept(row, own))
        if case.id in cases:
            raise InputError(f"{place}: the id {case.id!r} occurs twice")
        cases[case.id] = case
    if not cases:
        raise InputError(f"{source.name} has no case")
    return tuple(cases.values())


def read_responses(
    source: Source, known: Mapping[str, Case], own: Collection[str] = ()
) -> dict[str, tuple[Response, ...]]:
    """Read one model's responses: case id -> its responses, in the order of the file.

    `own`: further columns to keep, for your own tasks.

    Raises InputError, naming the row, for an id that no case has; for two rows with the same case,
    sample, variant, withheld evidence and presentation; and for a presentation that is neither
    image nor text.
    """
    by_case: dict[str, list[Response]] = {}
    seen: set[tuple[str, ...]] = set()
    for place, row in source.placed():
        response = replace(_response(row, place), columns=_kept(row, own))
        if response.case not in known:
            raise InputError(f"{place}: no case has the id {response.case!r}")
        key = (response.case, response.sample, response.variant, response.withheld,
               response.presented_as)  # fmt: skip
        if key in seen:
            raise InputError(f"{place}: a second response to {response.case!r}")
        seen.add(key)
        by_case.setdefault(response.case, []).append(_over_options(response, known[response.case]))
    return {case: tuple(responses) for case, responses in by_case.items()}


def _over_options(response: Response, case: Case) -> Response:
    """Return a response whose probabilities have the letters of the case's options, or a fault.

    The case of a letter does not count.
    """
    if response.probabilities is None or not case.options:
        return response
    option_of = {letter.strip().casefold(): letter for letter in case.options}
    named = [(option_of.get(one.strip().casefold(), ""), one) for one in response.probabilities]
    fault = next(
        (
            f"its probabilities name {one!r}, which is no option"
            for letter, one in named
            if not letter
        ),
        "",
    )
    if not fault and len({letter for letter, _ in named}) < len(named):
        fault = "its probabilities name an option twice"
    values = {letter: response.probabilities[one] for letter, one in named}
    return replace(response, probabilities=None if fault else values, fault=fault)


def _kept(row: Row, own: Collection[str]) -> dict[str, Any]:
    return {name: row[name] for name in row if name in own}


def _case(row: Row, groups: Sequence[str], place: str) -> Case:
    name = text_of(row.get("id"))
    if not name:
        raise InputError(f"{place}: the id is missing")
    options = read_options(row, place)
    text = text_of(row.get("diagnosis"))
    codes = read_list(row.get("codes"), f"{place}, codes")
    case = Case(
        id=name,
        case=text_of(row.get("case")),
        reference=text_of(row.get("reference")),
        diagnosis=Diagnosis(text, tuple(map(text_of, codes))) if text else None,
        ddx=tuple(_diagnosis(entry, place) for entry in read_list(row.get("ddx"), f"{place}, ddx")),
        question=text_of(row.get("question")),
        options=options,
        answer=answer_of(row.get("answer")),
        kind=text_of(row.get("kind")) or "other",
        pair=text_of(row.get("pair")),
        criteria=read_criteria(row.get("criteria"), place),
        physicians=_labels(row.get("physicians"), place),
        groups={column: values_of(row.get(column), place) for column in groups},
    )
    if options and not case.letters:
        listed = ", ".join(options)
        raise InputError(f"{place}: the answer {case.answer!r} is none of the options {listed}")
    return case


def read_criteria(cell: Any, place: str) -> tuple[Criterion, ...]:
    """Read the criteria of a cell: objects with criterion, points and tags, or bare texts.

    Raises InputError, naming row and criterion, for anything else, and where no criterion has
    positive points.
    """
    entries = [
        {"criterion": entry} if isinstance(entry, str) else entry
        for entry in read_list(cell, f"{place}, criteria")
    ]
    criteria = []
    for number, entry in enumerate(entries, 1):
        try:
            criteria.append(Criterion.model_validate(entry))
        except ValidationError as fault:
            what = "; ".join(problems_of(fault))
            raise InputError(f"{place}: criterion {number}: {what}") from fault
    if criteria and not any(one.points > 0 for one in criteria):
        raise InputError(f"{place}: no criterion has positive points, so there is no score")
    return tuple(criteria)


def _labels(cell: Any, place: str) -> tuple[bool, ...]:
    truths = {"true": True, "false": False}
    labels = [str(entry).strip().lower() for entry in read_list(cell, f"{place}, physicians")]
    wrong = next((label for label in labels if label not in truths), None)
    if wrong is not None:
        raise InputError(f"{place}: physicians has {wrong!r}; write true or false for each")
    return tuple(truths[label] for label in labels)


def _response(row: Row, place: str) -> Response:
    name = text_of(row.get("id"))
    if not name:
        raise InputError(f"{place}: the id is missing")
    if text_of(row.get("status")) == "failed":  # an empty cell of CSV is a missing answer here
        row = {column: cell for column, cell in row.items() if not is_empty(cell)}
    # `dxjudge judge generate_ddx` and `extract_ddx` write the differential as `diagnoses`.
    column = "predicted_ddx" if "predicted_ddx" in row else "diagnoses"
    ddx = row.get(column)
    names = None if is_empty(ddx) else read_predictions(ddx, f"{place}, {column}")
    if names is None and column in row and text_of(row.get("status")) == "abstained":
        names = []
    text = row.get("response")
    if names is None:
        names = listed_diagnoses(text)
    probabilities, fault, is_scaled = read_probabilities(row.get("probabilities"), place)
    return Response(
        case=name,
        text=None if is_empty(text) and not isinstance(text, str) else text_of(text),
        diagnosis=text_of(row.get("predicted_diagnosis")) or None,
        ddx=None if names is None else _distinct(map(text_of, names)),
        sample=text_of(row.get("sample")),
        variant=text_of(row.get("variant")),
        withheld=text_of(row.get("withheld")),
        presented_as=_one_of(row, "presented_as", ("image", "text"), place),
        answered=text_of(row["answered"]) if row.get("answered") is not None else None,
        answer_form=_one_of(row, "answer_form", ("free", "letter"), place),
        scores=read_scores(row.get("scores"), place),
        probabilities=probabilities,
        fault=fault,
        scaled=is_scaled,
    )


def _one_of(row: Row, column: str, words: tuple[str, str], place: str) -> str:
    text = text_of(row.get(column)).lower()
    if text not in ("", *words):
        raise InputError(
            f"{place}: {column} is {text!r}; write {words[0]} or {words[1]}, or leave it out"
        )
    return text


def _distinct(texts: Any) -> tuple[str, ...]:
    """Each diagnosis once, by its normalised name, in their order."""
    by_name: dict[str, str] = {}
    for text in texts:
        if text:
            by_name.setdefault(normalise_text(text) or text, text)
    return tuple(by_name.values())


def _diagnosis(entry: Any, place: str) -> Diagnosis:
    if isinstance(entry, Mapping):
        text = text_of(entry.get("diagnosis"))
        codes = tuple(map(text_of, read_list(entry.get("codes"), f"{place}, ddx codes")))
    else:
        text, codes = text_of(entry), ()
    if not text:
        raise InputError(f"{place}: an entry of the ddx has no diagnosis")
    return Diagnosis(text, codes)
