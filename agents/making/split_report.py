"""Split a case report into cases; the model quotes the first and last words of each case."""

from pydantic import BaseModel, ConfigDict, Field

from ..rules.quotes import Span, find_quote
from ..rules.technical import abstain_on
from ..step import Step

MOST_CASES = 4
"""Reports with more cases are excluded, as in DermCase (collection of case reports)."""


class ReportInput(BaseModel):
    """The text of a case report."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    report: str


class CaseBounds(BaseModel):
    """Where one case stands in the report."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    begins: str = Field(
        description="The first words of the case, copied word for word from the report, long "
        "enough to occur only there."
    )
    ends: str = Field(description="The last words of the case, copied word for word.")


class SplitAnswer(BaseModel):
    """The cases of a report."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    borders_are_clear: bool = Field(
        description="false if passages cannot be told apart by patient, else true."
    )
    cases: list[CaseBounds] = Field(description="One entry a patient, in the report's order.")


class CaseSpan(BaseModel):
    """The span of a case in the report, in characters; `end` is one past the last."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    start: int
    end: int


class ReportCases(BaseModel):
    """The cases of a report in their order; their spans do not overlap."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cases: tuple[CaseSpan, ...]


def _spans(report: str, bounds: list[CaseBounds]) -> list[CaseSpan | str]:
    """Return the span of each case or the fault of its borders; each starts after the previous."""
    spans: list[CaseSpan | str] = []
    after = 0
    for place, case in enumerate(bounds):
        begins = _find(case.begins, report, after)
        ends = _find(case.ends, report, begins.start) if begins else None
        if begins is None:
            spans.append(f"cases.{place}.begins: does not occur after the case before it")
        elif ends is None or ends.end <= begins.start:
            spans.append(f"cases.{place}.ends: does not occur after the case's first words")
        else:
            spans.append(CaseSpan(start=begins.start, end=ends.end))
            after = ends.end
    return spans


def _find(quote: str, text: str, after: int) -> Span | None:
    span = find_quote(quote, text[after:])
    return Span(span.start + after, span.end + after) if span else None


def _borders(inputs: ReportInput, answer: SplitAnswer) -> list[str]:
    if not answer.borders_are_clear:
        return []
    problems = [span for span in _spans(inputs.report, answer.cases) if isinstance(span, str)]
    return problems if answer.cases else ["cases: is empty, and yet the borders are clear"]


def _excluded(inputs: ReportInput, answer: SplitAnswer) -> str | None:
    if not answer.borders_are_clear:
        return "the borders between the cases are not clear"
    if len(answer.cases) > MOST_CASES:
        return f"the report has {len(answer.cases)} cases; more than {MOST_CASES} are excluded"
    return None


def _collect(inputs: ReportInput, answer: SplitAnswer) -> ReportCases:
    spans = _spans(inputs.report, answer.cases)
    return ReportCases(cases=tuple(span for span in spans if isinstance(span, CaseSpan)))


SPLIT_REPORT: Step[ReportInput, SplitAnswer, ReportCases] = Step(
    name="split_report",
    version=1,
    input=ReportInput,
    output=SplitAnswer,
    checks=(_borders,),
    abstain=_excluded,
    finish=_collect,
    result=ReportCases,
    stand_ins={"code": abstain_on("report")},
    returns="the cases of a report as spans of its text",
)
