"""What `dxjudge map` does with confidences: fit them to the column, accept rows, say so."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as ReadOnly
from dataclasses import asdict, dataclass
from itertools import compress, repeat
from pathlib import Path
from typing import Any

from ...cache.key import fingerprint
from ...errors import UsageError
from ...files.sequences import Repeated
from ...graphs.accept import (
    ACCEPT_ON,
    Acceptance,
    AcceptOn,
    acceptance,
    bins_of,
    check_promise,
    unlike,
)
from ...graphs.calibrate import acceptance_of
from ...ontology.mapping import Mapping
from ...ontology.recalibrated import Calibration, calibration_path, read_calibration

NONE = "none"
"""The value of --calibration with which the calibration of the table is not used."""


@dataclass(frozen=True)
class Wanted:
    """The options: the promised precision, of what, and the file of a calibration."""

    accept: float | None = None
    on: AcceptOn = "category"
    calibration: str | None = None


@dataclass(frozen=True)
class Taking:
    """How mappings get the confidences of the column, and which of them are accepted.

    calibration: None for the confidences of the package. rule: None where nothing was to be
    accepted.
    """

    calibration: Calibration | None = None
    rule: Acceptance | None = None

    @property
    def about(self) -> dict[str, Any]:
        """Return what a journal says of it: nothing where nothing is fitted or accepted."""
        accept = [self.rule.precision, self.rule.on] if self.rule else None
        fitted = asdict(self.calibration) if self.calibration else None
        about = {"accept": accept, "calibration": fitted and fingerprint(fitted)}
        return {name: value for name, value in about.items() if value}

    def checked(self, signature: str) -> str:
        """Return the signature of the mapper.

        Raises UsageError for a calibration of other settings or of another version.
        """
        if self.calibration and self.calibration.signature != signature:
            raise UsageError(
                "the calibration was fitted to scores of other settings or of another version: "
                f"give --calibration {NONE}; once the table has scores of these settings and "
                "reviews, fit it again (dxjudge table calibrate)"
            )
        return signature

    def fitted(self, mapping: Mapping) -> Mapping:
        """Return a mapping with the confidences of the column."""
        return self.calibration.applied(mapping) if self.calibration else mapping

    def marks(
        self, texts: Repeated[tuple[str, ...]], mappings: ReadOnly[str, Mapping]
    ) -> Repeated[bool] | None:
        """Return for each row whether all its texts can be taken; None without a rule."""
        if self.rule is None:
            return None
        rule = self.rule
        return texts.replaced(lambda of_row: all(rule.accepts(mappings[text]) for text in of_row))

    def counts(self, mappings: Iterable[Mapping]) -> dict[str, Counter[str]]:
        """Count the mappings of distinct texts, for `notes`: plain JSON that can be added up.

        texts: "all" that are not empty, "accepted", and those whose code a "model" chose. bins:
        texts by the bin of their confidence. Nothing is counted without a rule.
        """
        if self.rule is None:
            return {}
        whole = [mapping for mapping in mappings if mapping.text]
        accepted = sum(map(self.rule.accepts, whole))
        model = sum(mapping.decided_by == "llm" for mapping in whole)
        bins = {str(bin): count for bin, count in bins_of(whole, self.rule.on).items()}
        texts = Counter(all=len(whole), accepted=accepted, model=model)
        return {"texts": texts, "bins": Counter(bins)}

    def notes(
        self, counts: ReadOnly[str, ReadOnly[str, int]], accepted: int, rows: int
    ) -> Iterator[str]:
        """Yield lines for the summary. counts: of all texts. accepted: so many of the rows."""
        if self.calibration:
            yield f"confidences fitted to {self.calibration.reviewed:,} reviewed rows"
        if self.rule is None:
            return
        texts = counts["texts"]
        yield (
            f"accepted at a precision of {self.rule.precision:g} of the {self.rule.on}: "
            f"{_share(accepted, rows)} rows, "
            f"{_share(texts['accepted'], texts['all'])} distinct texts"
        )
        yield _threshold(self.rule)
        if not self.calibration:
            bins = {int(bin): count for bin, count in counts["bins"].items()}
            yield from _warnings(bins, texts["model"], self.rule)


@dataclass(frozen=True)
class Taken:
    """The mappings with the confidences of the column, what is accepted, and lines that say so."""

    mappings: ReadOnly[str, Mapping]
    rule: Acceptance | None
    marks: Repeated[bool] | None
    notes: tuple[str, ...]

    def accepts(self, text: str) -> bool | None:
        """Return whether the mapping of a text can be taken; None without a rule."""
        return self.rule.accepts(self.mappings[text]) if self.rule else None


def read_wanted(accept: float | None, on: str | None, calibration: str | None) -> Wanted:
    """Return the options as given. Raises UsageError for one that cannot be used."""
    if on is not None and accept is None:
        raise UsageError(
            "--accept-on says of what --accept promises a precision; give --accept too"
        )
    chosen = next((known for known in ACCEPT_ON if known == (on or "category")), None)
    if chosen is None:
        raise UsageError(f"--accept-on {on} is neither category nor code")
    if accept is not None:
        check_promise(accept, chosen)
    return Wanted(accept, chosen, calibration)


def _open_calibration(wanted: Wanted, table: Path | None) -> Calibration | None:
    """Return the calibration that is named, else that of the table, if any.

    Raises InputError for a file that cannot be read.
    """
    if wanted.calibration == NONE:
        return None
    if wanted.calibration is not None:
        return read_calibration(Path(wanted.calibration))
    beside = calibration_path(table) if table else None
    return read_calibration(beside) if beside and beside.exists() else None


def open_taking(wanted: Wanted, table: Path | None) -> Taking:
    """Return what the options want. Raises InputError for a calibration that cannot be read."""
    calibration = _open_calibration(wanted, table)
    if wanted.accept is None:
        return Taking(calibration)
    fitted = acceptance_of(calibration, wanted.accept, wanted.on) if calibration else None
    return Taking(calibration, fitted or acceptance(wanted.accept, wanted.on))


def take(
    taking: Taking,
    mappings: ReadOnly[str, Mapping],
    texts: Repeated[tuple[str, ...]],
    stands_for: Sequence[int] | None = None,
) -> Taken:
    """Fit the confidences to the column and decide which mappings are accepted.

    texts: the texts of each row. stands_for: how many rows each counts as; one where it is None.
    """
    mappings = {text: taking.fitted(mapping) for text, mapping in mappings.items()}
    marks = taking.marks(texts, mappings)
    accepted = sum_of(marks or (), stands_for)
    rows = len(texts) if stands_for is None else sum(stands_for)
    notes = taking.notes(taking.counts(mappings.values()), accepted, rows)
    return Taken(mappings, taking.rule, marks, tuple(notes))


def sum_of(marks: Iterable[bool], stands_for: Sequence[int] | None) -> int:
    """Return how many rows are marked. stands_for: as `take` takes it."""
    return sum(compress(repeat(1) if stands_for is None else stands_for, marks))


def _threshold(rule: Acceptance) -> str:
    if rule.threshold is None:
        return (
            f"no {rule.column} reaches {rule.precision:g} in {rule.basis}: only reviewed rows and "
            f"those with a {rule.column} of 1 are accepted"
        )
    lowest, right, bound, share = rule.threshold
    return (
        f"accepted from a {rule.column} of {lowest:g} on; in {rule.basis}, {right:.1%} of such "
        f"texts were right (lower 95 % limit {bound:.1%}); they were {share:.0%} of all texts"
    )


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,}" + (f" ({part / whole:.1%})" if whole else "")


def _warnings(bins: ReadOnly[int, int], by_model: int, rule: Acceptance) -> Iterator[str]:
    distance = unlike(bins, rule.on)
    if distance is not None:
        how = "lower" if distance < 0 else "higher"
        yield (
            f"warning: each {rule.column} tends to be much {how} here than in the development sets "
            f"(largest distance of the distributions {abs(distance):.2f}), so the precision may "
            "differ: review 50 to 200 random rows and run dxjudge table calibrate"
        )
    if by_model:
        yield (
            f"warning: a model chose codes; each {rule.column} is that of the embedded ranking, "
            "and the precision was estimated without a model"
        )
