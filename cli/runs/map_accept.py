"""What `dxjudge map` does with confidences: fit them to the column, accept rows, say so."""

from collections.abc import Iterator
from collections.abc import Mapping as ReadOnly
from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError
from ...files.sequences import Repeated
from ...graphs.accept import ACCEPT_ON, Acceptance, AcceptOn, acceptance, check_promise, unlike
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
class Taken:
    """The mappings with the confidences of the column, and what is accepted of them.

    notes: lines for the summary. rule: None where nothing was to be accepted.
    """

    mappings: ReadOnly[str, Mapping]
    rule: Acceptance | None
    notes: tuple[str, ...]

    def accepts(self, text: str) -> bool | None:
        """Return whether the mapping of a text can be taken; None without a rule."""
        return self.rule.accepts(self.mappings[text]) if self.rule else None

    def marks(self, texts: Repeated[tuple[str, ...]]) -> Repeated[bool] | None:
        """Return for each row whether all its texts can be taken; None without a rule."""
        if self.rule is None:
            return None
        rule, mappings = self.rule, self.mappings
        return texts.replaced(lambda of_row: all(rule.accepts(mappings[text]) for text in of_row))


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


def open_calibration(wanted: Wanted, table: Path | None) -> Calibration | None:
    """Return the calibration that is named, else that of the table, if any.

    Raises InputError for a file that cannot be read.
    """
    if wanted.calibration == NONE:
        return None
    if wanted.calibration is not None:
        return read_calibration(Path(wanted.calibration))
    beside = calibration_path(table) if table else None
    return read_calibration(beside) if beside and beside.exists() else None


def take(
    wanted: Wanted,
    calibration: Calibration | None,
    mappings: ReadOnly[str, Mapping],
    texts: Repeated[tuple[str, ...]],
    signature: str,
) -> Taken:
    """Fit the confidences to the column and decide which mappings are accepted.

    Raises UsageError where the calibration is for scores of other settings or of another version.
    """
    notes: list[str] = []
    if calibration and signature and calibration.signature != signature:
        raise UsageError(
            "the calibration was fitted to scores of other settings or of another version: fit it "
            f"again (dxjudge table calibrate), or give --calibration {NONE}"
        )
    if calibration:
        mappings = {text: calibration.applied(mapping) for text, mapping in mappings.items()}
        notes.append(f"confidences fitted to {calibration.reviewed:,} reviewed rows")
    if wanted.accept is None:
        return Taken(mappings, None, tuple(notes))
    fitted = acceptance_of(calibration, wanted.accept, wanted.on) if calibration else None
    rule = fitted or acceptance(wanted.accept, wanted.on)
    taken = Taken(mappings, rule, ())
    notes += _described(taken, texts)
    if not calibration:
        notes += _warnings(mappings, wanted.on)
    return Taken(mappings, rule, tuple(notes))


def _described(taken: Taken, texts: Repeated[tuple[str, ...]]) -> Iterator[str]:
    assert taken.rule
    rule = taken.rule
    marks = taken.marks(texts) or ()
    distinct = dict.fromkeys(text for of_row in texts.values for text in of_row if text)
    accepted = sum(rule.accepts(taken.mappings[text]) for text in distinct)
    yield (
        f"accepted at a precision of {rule.precision:g} of the {rule.on}: "
        f"{_share(sum(marks), len(marks))} rows, {_share(accepted, len(distinct))} distinct texts"
    )
    if rule.threshold is None:
        yield (
            f"no confidence reaches {rule.precision:g} in {rule.basis}: only reviewed rows and "
            "those with a confidence of 1 are accepted"
        )
    else:
        lowest, right, bound, share = rule.threshold
        yield (
            f"they have a confidence of {lowest:g} or more; in {rule.basis}, {right:.1%} of such "
            f"texts were right (at least {bound:.1%}, with 95 % confidence), and {share:.0%} of "
            "all texts were such"
        )


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,}" + (f" ({part / whole:.1%})" if whole else "")


def _warnings(mappings: ReadOnly[str, Mapping], on: AcceptOn) -> Iterator[str]:
    distance = unlike(mappings.values(), on)
    if distance is not None:
        how = "lower" if distance < 0 else "higher"
        yield (
            f"warning: the confidences are much {how} than those of the development sets (largest "
            f"distance of the distributions {abs(distance):.2f}), so the precision may differ: "
            "review 50 to 200 random rows and run dxjudge table calibrate"
        )
    if any(mapping.decided_by == "llm" for mapping in mappings.values()):
        yield (
            "warning: a model chose codes; the confidences are those of the embedded ranking, and "
            "the precision was estimated without a model"
        )
