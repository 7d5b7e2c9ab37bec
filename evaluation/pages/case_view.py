"""One case with everything that a run knows of it: responses, diagnoses, verdicts, the tree."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel

from ...errors import InputError
from ..cases import Case, Response
from ..judging import JURY
from .items import Items, responses_of
from .marked import Quote, Segment, marked, quotes_of
from .predictions import TRUTH, Prediction
from .tree_view import TreeView
from .verdict_rows import NO_RESPONSE, NOT_JUDGED, Row


class PartView(BaseModel):
    """A part of a verdict: its name ("" for the whole), the verdict and the words for it."""

    part: str
    verdict: str
    words: str


class PersonView(BaseModel):
    """What a person said of the same item, in words and by its parts."""

    person: str
    said: str
    parts: list[PartView]


class QuoteView(BaseModel):
    """A quote: where from, its words, what for; and whether it stands in no text."""

    source: str
    text: str
    note: str
    invented: bool


class JurorView(BaseModel):
    """What a judge of a jury said of the same item, or how its item ended."""

    judge: str
    said: str


class VerdictView(BaseModel):
    """A verdict. row: its place in the table of all verdicts. said: in words, or how it ended.

    votes: what a jury was given.
    """

    row: int
    task: str
    judge: str
    place: int
    response: int
    status: str
    reason: str
    right: str
    said: str
    parts: list[PartView]
    quotes: list[QuoteView]
    decided_by: str
    repairs: int
    cost: float | None
    seconds: float | None
    people: list[PersonView]
    votes: list[JurorView]


class ResponseView(BaseModel):
    """A response of a model. about: the sample, the wording and the evidence, where it has them."""

    about: str
    text: list[Segment]
    answer: str


class ModelView(BaseModel):
    """What one model said of the case, and what was said of it."""

    model: str
    responses: list[ResponseView]
    diagnoses: list[Prediction]
    verdicts: list[VerdictView]


class ImageView(BaseModel):
    """An image of a case: the name of its file, or its address, which no page loads."""

    name: str
    is_address: bool


class CaseView(BaseModel):
    """A case. place: among all cases of the run, from 0.

    before, after: the ids of the cases beside it in the filtered table, "" for none.
    """

    id: str
    place: int
    groups: dict[str, list[str]]
    text: list[Segment]
    images: list[ImageView]
    question: str
    options: dict[str, str]
    answer: str
    reference: list[Segment]
    truth: list[Prediction]
    criteria: list[str]
    models: list[ModelView]
    tree: TreeView | None
    at: int
    of: int
    before: str
    after: str
    notes: list[str]


def case_view(
    items: Items,
    case_id: str,
    order: Sequence[str],
    predictions: Sequence[Prediction],
    tree: TreeView | None,
    notes: Sequence[str] = (),
) -> CaseView:
    """Return everything about a case. order: the cases of the filtered table.

    Raises InputError for a case that the run does not have.
    """
    cases = items.inputs.cases
    number = next((at for at, one in enumerate(cases) if one.id == case_id), None)
    if number is None:
        raise InputError(f"the run has no case {case_id!r}")
    case = cases[number]
    at = order.index(case_id) if case_id in order else -1
    rows = [(place, items.rows[place]) for place in items.rows_of_case.get(case_id, ())]
    quotes = list(_quotes(row for _, row in rows))
    return CaseView(
        id=case.id,
        place=number,
        groups={name: list(values) for name, values in case.groups.items()},
        text=marked(case.case, _from(quotes, "case")),
        images=[_image(name) for name in case.images],
        question=case.question,
        options=dict(case.options),
        answer=case.answer,
        reference=marked(case.reference, _from(quotes, "reference")),
        truth=_truth(case, predictions),
        criteria=[f"{one.criterion} ({one.points:g})" for one in case.criteria],
        models=[_model(items, one, case_id, rows, predictions) for one in items.inputs.responses],
        tree=tree,
        at=at + 1,
        of=len(order),
        before=order[at - 1] if at > 0 else "",
        after=order[at + 1] if 0 <= at < len(order) - 1 else "",
        notes=list(notes),
    )  # fmt: skip


def _image(name: str) -> ImageView:
    is_address = name.startswith(("http://", "https://"))
    return ImageView(name=name if is_address else Path(name).name, is_address=is_address)


def _truth(case: Case, predictions: Sequence[Prediction]) -> list[Prediction]:
    """The true diagnoses with the codes of the run; without a mapping, those of the file."""
    coded = [one for one in predictions if one.kind == TRUTH]
    named = {one.text for one in coded}
    main = [case.diagnosis] if case.diagnosis else []
    rest = [one for one in (*main, *case.ddx) if one.text not in named]
    return [
        *(Prediction(model="", kind="diagnosis" if one in main else "ddx", place=place,
                     text=one.text, status="given", code=" ".join(one.codes), name="",
                     decided_by="file", coded_by="file" if one.codes else "", reason="")
          for place, one in enumerate(rest, 1)),
        *coded,
    ]  # fmt: skip


def _model(
    items: Items,
    model: str,
    case: str,
    rows: Sequence[tuple[int, Row]],
    predictions: Sequence[Prediction],
) -> ModelView:
    own = [(place, row) for place, row in rows if row.model == model]
    judged = [pair for pair in own if pair[1].status not in (NO_RESPONSE, NOT_JUDGED)]
    return ModelView(
        model=model,
        responses=[
            _response(response, place, [row for _, row in own])
            for place, response in enumerate(responses_of(items.inputs, model, case))
        ],
        diagnoses=[one for one in predictions if one.model == model],
        verdicts=[_verdict(items, place, row) for place, row in judged],
    )


def _response(response: Response, place: int, rows: Sequence[Row]) -> ResponseView:
    of_it = (row for row in rows if row.response == str(place))
    words = (response.sample and f"sample {response.sample}", response.wording,
             response.withheld and f"without {response.withheld}")  # fmt: skip
    return ResponseView(
        about=", ".join(filter(None, words)),
        text=marked(response.text or "", _from(_quotes(of_it), "response")),
        answer=(response.answer or "") if response.answer != response.text else "",
    )


def _quotes(rows: Iterable[Row]) -> Iterator[Quote]:
    for row in rows:
        for note, quote, invented in quotes_of(row.value):
            if not invented and {"source", "start", "end"} <= {*quote}:
                yield Quote(quote["source"], quote["start"], quote["end"], f"{note} · {row.judge}")


def _from(quotes: Iterable[Quote], source: str) -> list[Quote]:
    return [one for one in quotes if one.source == source]


def _verdict(items: Items, place: int, row: Row) -> VerdictView:
    return VerdictView(
        row=place,
        task=row.task,
        judge=row.judge,
        place=int(row.place),
        response=int(row.response),
        status=row.status,
        reason=row.reason,
        right=items.facets["right"].at(place),
        said=_said_of(items, row),
        parts=_parts(items.said.get((row.unit, row.judge), {})),
        quotes=[
            QuoteView(source=str(quote.get("source", "")), text=str(quote.get("text", "")),
                      note=note, invented=invented)
            for note, quote, invented in quotes_of(row.value)
        ],
        decided_by=row.decided_by,
        repairs=int(row.repairs or 0),
        cost=float(row.cost) if row.cost else None,
        seconds=None if items.seconds[place] != items.seconds[place] else items.seconds[place],
        people=[
            PersonView(person=person, said=items.in_words(row.task, parts), parts=_parts(parts))
            for person, parts in items.people.get(row.unit, {}).items()
        ],
        votes=_votes(items, row) if row.judge.startswith(JURY) else [],
    )  # fmt: skip


def _parts(said: Mapping[str, tuple[str, str]]) -> list[PartView]:
    return [
        PartView(part=part, verdict=verdict, words=words) for part, (verdict, words) in said.items()
    ]


def _votes(items: Items, jury: Row) -> list[JurorView]:
    others = (items.rows[place] for place in items.rows_of_case[jury.case])
    return [
        JurorView(judge=row.judge, said=_said_of(items, row))
        for row in others
        if row.unit == jury.unit and not row.judge.startswith(JURY)
    ]


def _said_of(items: Items, row: Row) -> str:
    parts = items.said.get((row.unit, row.judge), {})
    total = f"{float(row.score):g} in all: " if row.score and len(parts) > 1 else ""
    return total + items.in_words(row.task, parts) or row.status
