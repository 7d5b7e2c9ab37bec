"""Reports the columns that nothing reads, with the column that was likely meant."""

from collections.abc import Collection, Mapping, Sequence

from ..errors import InputError
from ..files.nearest import unread_column
from .cases import USUAL_GROUPS, Source
from .cells import LETTER

_OF_CASES = (
    "id", "case", "reference", "diagnosis", "codes", "ddx", "question", "options", "answer", "kind",
    "pair", "criteria", "physicians", *USUAL_GROUPS,
    # Read by `dxjudge answer`, which shows a model under test the same cases.
    "evidence", "images", "image", "image_path", "sex", "age",
)  # fmt: skip
_OF_RESPONSES = (
    "id", "model", "response", "predicted_diagnosis", "predicted_ddx", "diagnoses", "answered",
    "sample", "variant", "withheld", "presented_as", "answer_form", "scores", "probabilities",
    "status", "reason",
)  # fmt: skip
_ANSWERS = (*_OF_RESPONSES[2:7], "scores", "probabilities")
_MEANT = {
    "predictions": "predicted_ddx", "prediction": "response", "ddx": "predicted_ddx",
    "differential": "predicted_ddx", "output": "response",
    "answer": "response", "text": "response", "completion": "response",
    "diagnosis": "predicted_diagnosis", "final_diagnosis": "predicted_diagnosis",
}  # fmt: skip


def unread_in_cases(source: Source, groups: Sequence[str], own: Collection[str]) -> str:
    """A sentence about the columns of the cases that nothing reads; "" without such a column."""
    columns = dict.fromkeys(name for row in source.rows for name in row)
    unread = [
        name for name in columns
        if name not in (*_OF_CASES, *groups, *own) and not LETTER.fullmatch(name)
    ]  # fmt: skip
    return "" if source.foreign else _unread(source.name, unread, _OF_CASES, {})


def unread_in_responses(
    source: Source, own: Collection[str], of_models: Collection[str] = ()
) -> str:
    """A sentence about the columns of responses that nothing reads; "" without such a column.

    of_models: columns with attributes of the model.

    Raises InputError where no column can have an answer, and no task of your own names the
    columns that it reads.
    """
    columns = list(dict.fromkeys(name for row in source.rows for name in row))
    unread = [name for name in columns if name not in (*_OF_RESPONSES, *own, *of_models)]
    sentence = _unread(source.name, unread, _OF_RESPONSES, _MEANT)
    if source.rows and not own and not {*columns} & {*_ANSWERS}:
        raise InputError(f"{source.name} has none of the columns {', '.join(_ANSWERS)}; {sentence}")
    return "" if source.foreign else sentence


def _unread(
    name: str, unread: Sequence[str], known: Sequence[str], meant: Mapping[str, str]
) -> str:
    if not unread:
        return ""
    hints = [unread_column(column, known, meant.get(column.lower(), "")) for column in unread]
    return f"{name}: nothing reads the column{'s'[: len(hints) > 1]} {', '.join(hints)}"
