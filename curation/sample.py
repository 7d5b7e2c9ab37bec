"""Draw a sample of items for people to rate, and write it beside the votes of the procedure.

`dxjudge rate sample.csv` asks people in the browser: is every statement of the item right, and is
the item fit for use? Or a person writes yes or no into the column `verdict`. Then `dxjudge agree
votes.csv sample.csv --human human --sampling verdict` compares the person with the procedure.
"""

import random
from collections.abc import Sequence
from pathlib import Path

import yaml

from ..agents.engine.judges import AnyJudge, as_judge
from ..agents.people.made_item import JUDGE_MADE_ITEM
from ..files.rows_out import write_columns
from .item import Item

VOTES, SAMPLE = "votes.csv", "sample.csv"
HUMAN = "human"
SIZE = 20
"""How many accepted and how many rejected items the sample has at most."""


def write_sample(folder: Path, items: Sequence[Item], judge: AnyJudge, seed: int) -> None:
    """Write votes.csv and sample.csv.

    votes.csv has a row for each item that was accepted (verdict yes) or rejected (no), with the
    columns case, step (`judge_made_item`), judge and verdict. sample.csv has the same columns, with
    the judge `human` and an empty verdict, for up to 20 items of each verdict; then `comment`, also
    empty, `source` (the text of the case) and `item` (what was made from it). It does not say what
    the verdict of the procedure was.
    """
    decided = [item for item in items if item.ending.status != "failed"]
    _write(folder / VOTES, decided, as_judge(judge).spec.label)
    drawn = sorted(draw_sample(decided, seed))
    shown = [decided[place] for place in drawn]
    _write(folder / SAMPLE, shown, HUMAN)


def draw_sample(items: Sequence[Item], seed: int) -> list[int]:
    """Return the places of up to 20 accepted and 20 rejected items that have a text to rate."""
    places: list[int] = []
    for status in ("accepted", "rejected"):
        known = [
            place
            for place, item in enumerate(items)
            if item.ending.status == status and item.data.get("case")
        ]
        places += random.Random(f"{seed}/{status}").sample(known, min(SIZE, len(known)))
    return places


def _write(path: Path, items: Sequence[Item], judge: str) -> None:
    human = judge == HUMAN
    columns: dict[str, list[str]] = {
        "case": [item.id for item in items],
        "step": [JUDGE_MADE_ITEM.name] * len(items),
        "judge": [judge] * len(items),
        "verdict": ["" if human else _verdict(item) for item in items],
    }
    if human:
        columns["comment"] = [""] * len(items)
        columns["source"] = [str(item.data["case"]) for item in items]
        columns["item"] = [_shown(item) for item in items]
    write_columns(str(path), "csv", columns)


def _verdict(item: Item) -> str:
    return "yes" if item.ending.status == "accepted" else "no"


def _shown(item: Item) -> str:
    data = {name: value for name, value in item.data.items() if name != "case"}
    return str(yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=1000))
