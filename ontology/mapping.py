"""The mapping of a diagnosis: a code, its candidates, and how it was decided."""

from dataclasses import dataclass
from html import escape
from typing import Any, Literal

from ..files.short import short

Status = Literal["mapped", "unmapped", "failed"]
DecidedBy = Literal["exact", "embedded", "llm", "reviewed", "none"]
Band = Literal["exact", "high", "medium", "low"]

WRITTEN = "code"
"""The source of a mapping whose code stands in the text."""

HIGH, MEDIUM = 0.8, 0.5
"""The lowest scores of high and of medium confidence."""

BETWEEN = "; "
"""The separator of several codes in one cell."""

_SHOWN = 60  # characters of a text that `repr` shows
_FIRST = 5  # candidates that a notebook shows


@dataclass(frozen=True, repr=False)
class Candidate:
    """A code that may stand for the diagnosis; `why` says in words why it is a candidate.

    `score` in [0, 1] estimates the probability that the code is right, `category_score` that its
    category is. `term` and `source` are the matched term and where it comes from.
    """

    code: str
    name: str
    term: str
    source: str
    score: float
    category_score: float
    why: str

    def __repr__(self) -> str:
        scores = f"{self.score:.2f}, category {self.category_score:.2f}"
        return f"Candidate({self.code} {self.name!r}, {scores}, {short(self.why)})"


@dataclass(frozen=True, repr=False)
class Additional:
    """A further code beside that of a mapping, for a condition that the text names.

    `score` in [0, 1] estimates the probability that its category is right for the condition by
    itself, `text` holds the words of the condition, `why` the reason for the code.
    """

    code: str
    name: str
    score: float
    text: str
    why: str

    def __repr__(self) -> str:
        return f"Additional({self.code} {self.name!r}, {self.score:.2f}, {short(self.text)})"


@dataclass(frozen=True, repr=False)
class Mapping:
    """The mapping of one text.

    `score` estimates the probability that the code is right, `category_score` that its category is.
    `term` and `source` are the matched term and where it comes from. `reason` says why a text
    is unmapped or failed, or what a reader should know about a mapped one. `parts` holds the
    diagnoses of a text that lists several, else it is empty. `translation` is the English text
    that was searched, where a model translated the text. `additional` holds the further codes of
    a text that names conditions beside that of `code`.
    """

    text: str
    status: Status
    code: str | None = None
    name: str | None = None
    term: str | None = None
    source: str | None = None
    score: float = 0.0
    decided_by: DecidedBy = "none"
    band: Band | None = None
    candidates: tuple[Candidate, ...] = ()
    reason: str | None = None
    parts: tuple[str, ...] = ()
    translation: str | None = None
    category_score: float = 0.0
    additional: tuple[Additional, ...] = ()

    def __repr__(self) -> str:
        shown = self.text if len(self.text) <= _SHOWN else f"{self.text[: _SHOWN - 1]}…"
        what = f"{self.code} {self.name!r}, {self._how()}" if self.code else short(self.reason)
        return f"Mapping({shown!r}, {self.status}: {what}, {len(self.candidates)} candidates)"

    def _repr_html_(self) -> str:
        """Return the mapping as a notebook shows it: the decision and the best candidates."""
        title = f"{self.code} {self.name} ({self._how()})" if self.code else self.status
        rows = "".join(
            f"<tr><td>{candidate.score:.2f}</td><td>{escape(candidate.code)}</td>"
            f"<td>{escape(candidate.name)}</td><td>{escape(candidate.term)}</td></tr>"
            for candidate in self.candidates[:_FIRST]
        )
        head = "<tr><th>score</th><th>code</th><th>name</th><th>matched term</th></tr>"
        return (
            f"<p>{escape(self.text)} → <b>{escape(title)}</b></p>"
            + (f"<p>{escape(self.reason)}</p>" if self.reason else "")
            + (f"<table>{head}{rows}</table>" if rows else "")
        )

    @property
    def codes(self) -> tuple[str, ...]:
        """The code and the further codes; nothing where no code fits."""
        further = (further.code for further in self.additional)
        return (self.code, *further) if self.code else ()

    def has_codes_of(self, other: "Mapping") -> bool:
        """Return whether the code is that of the other mapping, and the further codes too."""
        return self.code == other.code and {*self.codes} == {*other.codes}

    @property
    def additional_codes(self) -> str | None:
        """The further codes, joined by "; "; None where there are none."""
        return BETWEEN.join(further.code for further in self.additional) or None

    @property
    def additional_names(self) -> str | None:
        """The names of the further codes, joined by "; "; None where there are none."""
        return BETWEEN.join(further.name for further in self.additional) or None

    def _how(self) -> str:
        return f"{self.score:.2f}, {self.decided_by}"

    def as_json(self) -> dict[str, Any]:
        """Return the mapping as plain JSON, the form that a graph's state holds."""
        return {
            **vars(self),
            "candidates": [dict(vars(candidate)) for candidate in self.candidates],
            "parts": list(self.parts),
            "additional": [dict(vars(further)) for further in self.additional],
        }


def read_mapping(plain: dict[str, Any]) -> Mapping:
    """Return the mapping that `as_json` wrote."""
    candidates = tuple(Candidate(**candidate) for candidate in plain["candidates"])
    additional = tuple(Additional(**further) for further in plain.get("additional", ()))
    known = {"candidates": candidates, "parts": tuple(plain["parts"]), "additional": additional}
    return Mapping(**{**plain, **known})


def band_of(score: float, decided_by: DecidedBy) -> Band:
    """Return the confidence band of a mapped text."""
    if decided_by == "exact":
        return "exact"
    return "high" if score >= HIGH else "medium" if score >= MEDIUM else "low"
