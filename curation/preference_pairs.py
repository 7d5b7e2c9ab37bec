"""The output of DermCase: items, preference pairs for training, and a summary."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..agents.engine.judges import AnyJudge
from .balance import write_card
from .item import Item
from .length_figure import draw_lengths
from .questionnaire import QUESTIONNAIRE, Images, questions_of_items
from .sample import write_sample
from .settings import Settings
from .write import count_items, sign, version_of, write_folder, write_text

PAIRS, LENGTHS = "pairs.jsonl", "lengths.svg"


def write_items(
    folder: Path,
    items: Sequence[Item],
    judge: AnyJudge,
    settings: Settings,
    images: Mapping[str, Images] | None = None,
    chapter: Callable[[str], str] | None = None,
) -> dict[str, Any]:
    """Write items, pairs, summary, data card, lengths.svg, and the files for people.

    images: those of each report, for the questionnaire. chapter: returns the chapter of a
    diagnosis, which the card then counts. Return the summary.

    Each line of pairs.jsonl is one preference pair of an accepted item: prompt, chosen, rejected,
    kind, errors. `datasets` and TRL's DPO trainer read this file directly.
    """
    summary = summarise(items, judge, settings)
    pairs = [pair for item in items for pair in pairs_of(item)]
    questions = questions_of_items(items, settings, images)
    write_folder(folder, items, summary, {PAIRS: pairs, QUESTIONNAIRE: questions})
    write_text(folder / LENGTHS, draw_lengths(pairs))
    truths = {item.id: item.data.get("record", {}).get(settings.form.diagnosis) for item in items}
    shown = [{"kind": pair["kind"]} for pair in pairs]
    if chapter is not None:
        shown = [
            {**row, "chapter": chapter(truths[pair["id"]][0])}
            for row, pair in zip(shown, pairs, strict=True)
        ]
    write_card(folder, "DermCase", shown)
    write_sample(folder, items, judge, settings.seed)
    return summary


def pairs_of(item: Item) -> Iterator[dict[str, Any]]:
    """Yield the preference pairs of an accepted item, each with the item's name."""
    if item.ending.status == "accepted":
        for pair in item.data["pairs"]:
            yield {"id": item.id, **pair}


def summarise(items: Sequence[Item], judge: AnyJudge, settings: Settings) -> dict[str, Any]:
    """Return the counts of `count_items`, the lengths of the pairs, and the signature."""
    return {
        **count_items(items),
        "pairs": _lengths([pair for item in items for pair in pairs_of(item)]),
        "signature": sign(
            judge,
            tries=settings.tries,
            seed=settings.seed,
            form=version_of(settings.form),
            questions=version_of(settings.rules),
            flaws=version_of(settings.flaws),
        ),
    }


def _lengths(pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return quantiles of the ratio of lengths, rejected text to chosen text."""
    if not pairs:
        return {"n": 0}
    ratios = [len(pair["rejected"]) / len(pair["chosen"]) for pair in pairs]
    quantiles = np.quantile(ratios, [0, 0.25, 0.5, 0.75, 1])
    names = ("smallest", "first_quartile", "median", "third_quartile", "largest")
    shown = {name: round(float(value), 4) for name, value in zip(names, quantiles, strict=True)}
    return {"n": len(pairs), "rejected_to_chosen_length": shown}
