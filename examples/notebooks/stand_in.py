"""Judges for the notebooks: two providers where their keys are set, else stand-ins on this machine.

A stand-in is a small server in this process that compares words. It is no model, and its verdicts
say nothing about the answers: it is there so that the notebooks run without a key.
"""

import os
import re
from typing import Any

from dxjudge.adapters.scripted_judge import Said, ScriptedJudge

PROVIDERS = {
    "OPENAI_API_KEY": "openai:gpt-4o",
    "ANTHROPIC_API_KEY": "anthropic:claude-sonnet-4-5",
}
_QUOTED = re.compile(r"<(predicted|truth)-\w+>\n(.*?)\n</\1-\w+>", re.DOTALL)


def judges(number: int = 2) -> list[str]:
    """Return names of judges: both providers if their keys are set, else stand-ins."""
    if number == len(PROVIDERS) and all(os.environ.get(key) for key in PROVIDERS):
        return list(PROVIDERS.values())
    shares = {"strict": 1.0, "half": 0.5, "lenient": 0.2}
    names = [_started(name, share) for name, share in list(shares.items())[:number]]
    print(f"No key is set, so {number} stand-ins judge. They compare words and are no models.")
    return names


def _started(name: str, share: float) -> str:
    """Start a stand-in that says yes where this share of the words is equal; return its name."""

    def reply(request: dict[str, Any]) -> Said:
        if "same disease?" not in request["messages"][-1]["content"]:
            return Said(finish="refusal")  # it can only compare two names
        texts = dict(_QUOTED.findall(request["messages"][-1]["content"]))
        predicted, truth = (set(texts[side].lower().split()) for side in ("predicted", "truth"))
        same = len(predicted & truth) / len(predicted | truth) >= share
        return Said('{"same_disease": "yes"}' if same else '{"same_disease": "no"}')

    return ScriptedJudge(reply, model=name).__enter__().name
