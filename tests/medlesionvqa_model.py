"""A scripted model that writes good questions about examples/curate/annotations.jsonl."""

import re
from typing import Any

from dxjudge.prompts.annotations import load_ability_rules

from .protocol_server import Seen

RULES = load_ability_rules("medlesionvqa")
WORDED = {
    "region": "Which part of the body does the image show?",
    "lesion": "Which kind of lesion is seen on the {} in the image?",
    "attribute": "Of the {} on the {} in the image, what is the {}?",
    "relation": "How is the {} placed with respect to the {} in the image?",
    "reasoning": "Which statement about what the image shows supports the diagnosis?",
    "diagnosis": "Which disease does the image show most probably?",
    "advice": "What should the person in the image be advised to do?",
}
WRONG = {
    "reasoning": [
        "The finding sits deep under healthy skin, so that it must stem from the bone below.",
        "The finding changes its place within hours, which only a leak of fluid explains.",
        "The finding is colder than its surroundings, which shows that no blood reaches it.",
    ],
    "advice": [
        "Cover the place with strong plaster for a month and have nobody look at it before.",
        "Put the remains of an old cortisone cream on it until the colour has gone away.",
        "Heat the place under a lamp every evening, and stop only when it hurts too much.",
    ],
    "attribute": ["9 cm", "12 cm", "15 cm"],
}
_RIGHT: dict[tuple[str, str], list[str]] = {}
"""The right answers by question and record, as the writer was told; the solver knows them."""


def step_of(seen: Seen) -> str:
    """Which step asks: write, solve or score; "" for another."""
    fields = (seen.schema or {}).get("properties", {})
    if "wrong" in fields:
        return "write"
    if "What is said of the image:" in seen.user:
        return "solve"
    return "score" if "score" in fields else ""


def section(text: str, title: str) -> str:
    """The text of a fenced section of a prompt."""
    match = re.search(rf"^{title}:\n<[^>]*>\n(.*?)\n</", text, re.MULTILINE | re.DOTALL)
    assert match is not None, title
    return match[1]


def entries(text: str, title: str) -> list[str]:
    return re.findall(r"^- (.*)$", section(text, title), re.MULTILINE)


def ability_of(seen: Seen) -> str:
    return next(one.name for one in RULES.abilities if one.instruction in seen.texts[0])


def written(seen: Seen) -> dict[str, Any]:
    ability = ability_of(seen)
    question = WORDED[ability].format(*entries(seen.user, "What the question is about"))
    needed = re.search(r"Give (\d) wrong", seen.texts[0])
    candidates = entries(seen.user, "Wrong options to choose from") or WRONG.get(ability, [])
    wrong = candidates[: int(needed[1])] if needed else []
    _RIGHT[question, section(seen.user, "The annotation")] = entries(seen.user, "The right answer")
    return {"question": question, "wrong": wrong}


def solved(seen: Seen) -> dict[str, Any]:
    source = section(seen.user, "What is said of the image")
    question = section(seen.user, "Question")
    options = dict(re.findall(r"^([A-D])\. (.*)$", section(seen.user, "Options"), re.MULTILINE))
    right = _RIGHT.get((question, source), [])
    if not options:
        return {"answer": right[0] if right else ""}
    if source == "(nothing)":
        return {"letters": ["A"]}  # a guess that is right where A happens to be
    return {"letters": [letter for letter, text in options.items() if text in right]}


def answer(seen: Seen) -> Any:
    """A good answer to each step."""
    if step_of(seen) == "write":
        return written(seen)
    if step_of(seen) == "solve":
        return solved(seen)
    return {"score": 1, "explanation": "the same"}
