"""Write the results of a procedure to a folder: items, preference pairs and a summary."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from ..agents.engine.judges import AnyJudge, as_judge
from ..errors import OutputError
from ..files.bytes import writing
from ..scoring.share_limits import wilson
from .item import Item
from .settings import Settings

ITEMS, PAIRS, SUMMARY = "items.jsonl", "pairs.jsonl", "summary.json"


def write_items(
    folder: Path, items: Sequence[Item], judge: AnyJudge, settings: Settings
) -> dict[str, Any]:
    """Write items.jsonl, pairs.jsonl and summary.json; return the summary.

    Each line of pairs.jsonl is one preference pair of an accepted item: prompt, chosen, rejected,
    kind, errors. `datasets` and TRL's DPO trainer read this file directly.
    """
    make_folder(folder)
    summary = summarise(items, judge, settings)
    pairs = (pair for item in items for pair in pairs_of(item))
    _write(folder / ITEMS, (item.model_dump(mode="json") for item in items))
    _write(folder / PAIRS, pairs)
    text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
    with writing(folder / SUMMARY) as file:
        file.write(text.encode())
    return summary


def make_folder(folder: Path) -> None:
    """Make the folder if it does not exist. Raises OutputError if it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise OutputError(f"cannot make the folder {folder}: {fault.strerror}") from fault


def pairs_of(item: Item) -> Iterator[dict[str, Any]]:
    """Yield the preference pairs of an accepted item, each with the item's name."""
    if item.ending.status == "accepted":
        for pair in item.data["pairs"]:
            yield {"id": item.id, **pair}


def summarise(items: Sequence[Item], judge: AnyJudge, settings: Settings) -> dict[str, Any]:
    """Return the counts, the pass rate with its Wilson interval, lengths, and the signature.

    The pass rate is the share of accepted items among all accepted and rejected items. Failed
    items are not in the rate; they are counted separately.
    """
    statuses = Counter(item.ending.status for item in items)
    judged = statuses["accepted"] + statuses["rejected"]
    rate = statuses["accepted"] / judged if judged else None
    stopped = [item for item in items if item.ending.status != "accepted"]
    return {
        "items": len(items),
        **{name: statuses[name] for name in ("accepted", "rejected", "failed")},
        "pass_rate": rate,
        "pass_rate_interval": None if rate is None else list(wilson(rate, judged)),
        "stopped_at": dict(Counter(f"{i.ending.status} at {i.ending.stage}" for i in stopped)),
        "pairs": _lengths([pair for item in items for pair in pairs_of(item)]),
        "signature": {
            "dxjudge": metadata.version("dxjudge"),
            "judge": as_judge(judge).spec.model_dump(mode="json"),
            "tries": settings.tries,
            "seed": settings.seed,
            "form": _version(settings.form),
            "questions": _version(settings.rules),
            "flaws": _version(settings.flaws),
        },
    }


def _version(data: Any) -> str:
    return f"{data.name} {data.version}"


def _lengths(pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return quantiles of the ratio of lengths, rejected text to chosen text."""
    if not pairs:
        return {"n": 0}
    ratios = [len(pair["rejected"]) / len(pair["chosen"]) for pair in pairs]
    quantiles = np.quantile(ratios, [0, 0.25, 0.5, 0.75, 1])
    names = ("smallest", "first_quartile", "median", "third_quartile", "largest")
    shown = {name: round(float(value), 4) for name, value in zip(names, quantiles, strict=True)}
    return {"n": len(pairs), "rejected_to_chosen_length": shown}


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with writing(path) as file:
        for row in rows:
            file.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
