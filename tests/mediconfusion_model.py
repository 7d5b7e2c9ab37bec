"""A scripted model that writes good questions about the pairs of examples/curate/images.csv."""

import json
import re
from pathlib import Path
from typing import Any

from .protocol_server import Seen

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples" / "curate"
ANSWERS: dict[str, dict[str, str]] = json.loads(
    (ROOT / "tests/data/mediconfusion_answers.json").read_text("utf-8")
)
LISTED = [
    {"name": "chest", "description": "lungs, pleura, heart", "captions": [1]},
    {"name": "elsewhere", "description": "all other parts of the body", "captions": [2]},
]


def step_of(seen: Seen) -> str:
    """Which step asks, by the form of the answer that it wants."""
    fields = (seen.schema or {})["properties"]
    if "first_option" in fields:
        return "write"
    if "patterns" in fields:
        return "patterns"
    if "letters" in fields:
        return "solve"
    return "list" if "captions" in json.dumps(seen.schema) else "assign"


def pair_in(text: str) -> str:
    """The name of the pair whose captions a text has."""
    quotes = ("first_quote", "second_quote")
    return next(name for name, own in ANSWERS.items() if any(own[q] in text for q in quotes))


def written(name: str, **changes: str) -> dict[str, str]:
    own = {key: value for key, value in ANSWERS[name].items() if key != "category"}
    return {**own, **changes}


def solved(seen: Seen) -> list[str]:
    """The letter of the option whose quote stands in the source; none without a source."""
    for own in ANSWERS.values():
        for place in ("first", "second"):
            if own[f"{place}_quote"] in seen.user:
                option = re.escape(own[f"{place}_option"])
                match = re.search(rf"^([AB])\. {option}$", seen.user, re.MULTILINE)
                return [match[1]] if match else []
    return []


def is_known(seen: Seen) -> bool:
    """Whether a step asks about these pairs."""
    texts = [text for own in ANSWERS.values() for text in (own["question"], own["first_quote"])]
    texts += [own["second_quote"] for own in ANSWERS.values()]
    return any(text in seen.user for text in texts) and seen.schema is not None


def patterns_in(text: str) -> dict[str, Any]:
    """A pattern of the first two pairs in a text."""
    names = re.findall(r"^Pair (\S+)$", text, re.MULTILINE)
    return {"patterns": [{"name": "side", "description": "left or right", "pairs": names[:2]}]}


def answer(seen: Seen) -> Any:
    """A good answer to each step."""
    step = step_of(seen)
    if step == "patterns":
        return patterns_in(seen.user)
    if step == "write":
        return written(pair_in(seen.user))
    if step == "solve":
        return {"letters": solved(seen)}
    if step == "list":
        return {"categories": LISTED}
    own = ANSWERS[pair_in(seen.user)]["category"]
    return {"categories": ["chest" if own in ("pulmonary", "cardiac") else "elsewhere"]}
