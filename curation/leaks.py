"""Find diagnoses that a text gives away under another name, by their codes."""

from collections.abc import Sequence

from ..agents.extract_ddx import EXTRACT_DDX
from ..agents.judge_equivalence import Mapper
from .asking import StageAsking


async def leaked_names(
    text: str,
    truths: Sequence[str],
    considered: Sequence[str],
    code_of: Mapper | None,
    ask: StageAsking,
) -> list[str]:
    """Return an objection for each diagnosis in a text that gives away what is to be found.

    A diagnosis gives the truth away if its code has the category of the truth (sarcoidosis of the
    skin, sarcoidosis). It gives a considered diagnosis away if it has the same code. Equal names
    are found without a code, by the step that writes the text. Without a mapper, nothing is looked
    for.
    """
    if code_of is None:
        return []
    listed = await ask.optional(EXTRACT_DDX, {"text": text})
    objections = []
    for name in listed.diagnoses if listed else ():
        hidden = next((h for h in truths if _related(name, h, code_of)), None) or next(
            (h for h in considered if _same(name, h, code_of)), None
        )
        if hidden is not None:
            objections.append(f"{name!r} has a code of {hidden!r}, which is to be found")
    return objections


def _same(name: str, hidden: str, code_of: Mapper) -> bool:
    one, other = code_of(name), code_of(hidden)
    return one is not None and other is not None and one.code == other.code


def _related(name: str, hidden: str, code_of: Mapper) -> bool:
    """Whether two names have one code, or codes of one category of three characters."""
    one, other = code_of(name), code_of(hidden)
    return one is not None and other is not None and one.code[:3] == other.code[:3]
