"""Probe whether a model knows a data set: answers by the question alone, texts by heart."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..agents.engine.estimate import Estimate, estimate
from ..agents.engine.judges import AnyJudge, as_judge
from ..agents.engine.run import Run
from ..agents.making.continue_text import CONTINUE_TEXT, Continuation
from ..agents.making.solve_question import SOLVE_QUESTION, Solved
from ..agents.outcome import Outcome
from ..errors import InputError
from ..files.cells import cell_text, is_empty
from ..graphs.step import stream_step
from ..scoring.share_limits import wilson
from .data_card import option_letters

FEWEST = 40
"""A text needs so many words; its first half is shown."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Probed:
    """What a model did with a row. None: the row has nothing for this probe, or the model failed.

    alone: whether it chose the right options without image and case. chance: how often a drawn
    option would be right. recalled: the longest run of words that it continued word for word.
    failed: the reason why a probe failed; "" if none did.
    """

    alone: bool | None = None
    chance: float | None = None
    recalled: int | None = None
    failed: str = ""


async def probe_rows(rows: Sequence[Mapping[str, Any]], judge: AnyJudge, run: Run) -> list[Probed]:
    """Ask a model each question with one right option alone, and to continue each text.

    Raises InputError if no row has such a question, or a column `case` or `text` with at least 40
    words.
    """
    found = _Found.of(rows)
    solved = await _ask(SOLVE_QUESTION, found.asked, judge, run)
    continued = await _ask(CONTINUE_TEXT, found.begun, judge, run)
    probed = [Probed() for _ in rows]
    for (place, question), outcome in zip(found.questions.items(), solved, strict=True):
        probed[place] = _alone(question, outcome)
    for (place, (_, rest)), outcome in zip(found.texts.items(), continued, strict=True):
        probed[place] = _recalled(probed[place], rest, outcome)
    return probed


def estimate_probes(
    rows: Sequence[Mapping[str, Any]], judge: AnyJudge, run: Run
) -> list[tuple[str, str, Estimate]]:
    """Return (label of the model, name of the step, estimate) for both probes.

    Raises InputError in the same case as `probe_rows`.
    """
    found = _Found.of(rows)
    label = as_judge(judge).spec.label
    return [
        (label, step.name, estimate(step, inputs, judge=judge, run=run))
        for step, inputs in ((SOLVE_QUESTION, found.asked), (CONTINUE_TEXT, found.begun))
        if inputs
    ]


@dataclass(frozen=True)
class _Found:
    """The questions and the halves of texts that can be probed, by the number of their row."""

    questions: dict[int, Any]
    texts: dict[int, tuple[str, str]]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> "_Found":
        questions = {place: own for place, row in enumerate(rows) if (own := _question(row))}
        texts = {place: halves for place, row in enumerate(rows) if (halves := _halves(row))}
        if not questions and not texts:
            raise InputError(
                "no row has a question with one right option, or a case or text of "
                f"{FEWEST} words or more"
            )
        return cls(questions, texts)

    @property
    def asked(self) -> list[dict[str, Any]]:
        shown = ("question", "options")
        return [{name: one[name] for name in shown} for one in self.questions.values()]

    @property
    def begun(self) -> list[dict[str, Any]]:
        return [{"text": text, "words": len(_words(rest))} for text, rest in self.texts.values()]


def probe_columns(probed: Sequence[Probed]) -> dict[str, list[Any]]:
    """Return the columns that the rows get."""
    return {
        "solved_alone": [one.alone for one in probed],
        "words_by_heart": [one.recalled for one in probed],
        "probe_failed": [one.failed for one in probed],
    }


def probe_lines(probed: Sequence[Probed], by_heart: int) -> Iterator[str]:
    """Yield a line for each probe: the share, its interval, and what chance or habit would give."""
    marks = [one for one in probed if one.alone is not None]
    if marks:
        share = sum(bool(one.alone) for one in marks) / len(marks)
        low, high = wilson(share, len(marks))
        chance = sum(one.chance or 0 for one in marks) / len(marks)
        verdict = "more often than" if low > chance else "not more often than"
        yield (
            f"by the question alone: {share:.1%} [{low:.1%}, {high:.1%}] of {len(marks):,} "
            f"questions are solved, {verdict} by chance ({chance:.1%})"
        )
    lengths = [one.recalled for one in probed if one.recalled is not None]
    if lengths:
        known = sum(length >= by_heart for length in lengths)
        yield (
            f"by heart: {known:,} of {len(lengths):,} texts are continued with {by_heart} words "
            f"or more of their own; the longest run has {max(lengths)}"
        )


def longest_run(text: str, other: str) -> int:
    """Return the length of the longest run of words that two texts share.

    >>> longest_run("a red plaque on the knee", "There was a red plaque on the elbow.")
    5
    """
    first, second = _words(text), _words(other)
    longest, before = 0, [0] * (len(second) + 1)
    for word in first:
        now = [0] * (len(second) + 1)
        for place, own in enumerate(second, 1):
            if word == own:
                now[place] = before[place - 1] + 1
        longest, before = max(longest, *now), now
    return longest


async def _ask(step: Any, inputs: Sequence[Any], judge: AnyJudge, run: Run) -> list[Outcome]:
    outcomes: dict[int, Outcome] = {}
    async for place, outcome in stream_step(step, inputs, judge=judge, run=run, engine="llm"):
        outcomes[place] = outcome
    return [outcomes[place] for place in range(len(inputs))]


def _question(row: Mapping[str, Any]) -> dict[str, Any] | None:
    letters = option_letters(row)
    answer = cell_text(row.get("answer")).strip()
    if is_empty(row.get("question")) or answer not in letters:
        return None
    options = {letter: cell_text(row[letter]) for letter in letters}
    return {"question": cell_text(row["question"]), "options": options, "answer": answer}


def _halves(row: Mapping[str, Any]) -> tuple[str, str] | None:
    text = next((cell_text(row[n]) for n in ("case", "text") if not is_empty(row.get(n))), "")
    words = text.split()
    if len(words) < FEWEST:
        return None
    half = len(words) // 2
    return " ".join(words[:half]), " ".join(words[half:])


def _alone(question: Mapping[str, Any], outcome: Outcome) -> Probed:
    chance = 1 / len(question["options"])
    if outcome.status == "failed":
        return Probed(failed="; ".join(outcome.reasons))
    if outcome.status == "abstained":
        return Probed(alone=False, chance=chance)
    letters = Solved.model_validate(outcome.value).letters
    return Probed(alone=letters == (question["answer"],), chance=chance)


def _recalled(probed: Probed, rest: str, outcome: Outcome) -> Probed:
    if outcome.status != "done":
        reasons = outcome.reasons if outcome.status == "failed" else (outcome.reason,)
        why = "; ".join(filter(None, [probed.failed, *reasons]))
        return Probed(probed.alone, probed.chance, None, why)
    continuation = Continuation.model_validate(outcome.value).continuation
    run = longest_run(continuation, rest)
    return Probed(probed.alone, probed.chance, run, probed.failed)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
