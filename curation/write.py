"""Write the results of a procedure to a folder: items, tables of data rows, and a summary."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from ..agents.engine.judges import AnyJudge, as_judge
from ..errors import OutputError
from ..files.bytes import writing
from ..scoring.share_limits import wilson
from .item import Item

ITEMS, SUMMARY = "items.jsonl", "summary.json"


def write_folder(
    folder: Path,
    items: Sequence[Item],
    summary: Mapping[str, Any],
    tables: Mapping[str, Iterable[Mapping[str, Any]]],
) -> None:
    """Write items.jsonl, summary.json, and each table (file name -> rows) as JSON Lines."""
    make_folder(folder)
    write_rows(folder / ITEMS, (item.model_dump(mode="json") for item in items))
    for name, rows in tables.items():
        write_rows(folder / name, rows)
    write_text(folder / SUMMARY, json.dumps(summary, indent=2, ensure_ascii=False) + "\n")


def make_folder(folder: Path) -> None:
    """Make the folder if it does not exist. Raises OutputError if it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise OutputError(f"cannot make the folder {folder}: {fault.strerror}") from fault


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as JSON Lines."""
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8."""
    with writing(path) as file:
        file.write(text.encode())


def count_items(items: Sequence[Item]) -> dict[str, Any]:
    """Return the counts by status, the pass rate with its Wilson interval, and what stopped items.

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
    }


def sign(judge: AnyJudge, solver: AnyJudge | None = None, **settings: Any) -> dict[str, Any]:
    """Return the signature of a data set: the version, the models and these settings."""
    named = {"judge": judge} if solver is None else {"judge": judge, "solver": solver}
    return {
        "dxjudge": metadata.version("dxjudge"),
        **{name: as_judge(one).spec.model_dump(mode="json") for name, one in named.items()},
        **settings,
    }


def version_of(data: Any) -> str:
    """Return name and version of a data file, for a signature."""
    return f"{data.name} {data.version}"
