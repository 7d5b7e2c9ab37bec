"""The output of MediConfusion: questions as `dxjudge answer` and `evaluate` read them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...agents.engine.judges import AnyJudge
from ...prompts.data import Categories
from ..item import Item
from ..paths import seen_from
from ..split import Cluster, Split, joined, split_clusters
from ..write import count_items, sign, version_of
from .expert_scores import item_names
from .found import FoundPairs
from .pair_settings import PairSettings

QUESTIONS, TO_RATE, CATEGORIES = "questions.jsonl", "to_rate.csv", "categories.json"


def splits_of(items: Sequence[Item], settings: PairSettings) -> dict[str, Split]:
    """Return the split of each accepted pair, balanced by category.

    Both items of a pair, and pairs that share an image, stand in the same split.
    """
    accepted = {item.id: item for item in items if item.ending.status == "accepted"}
    if not accepted:
        return {}
    groups = joined({name: item.data["images"] for name, item in accepted.items()})
    clusters = [Cluster(_stratum([accepted[name] for name in group]), group) for group in groups]
    return split_clusters(clusters, settings.validation, settings.seed)


def question_rows(
    items: Sequence[Item], splits: Mapping[str, Split], folder: Path
) -> Iterator[dict[str, Any]]:
    """Yield two rows for each accepted pair: the same question about each image.

    folder: where the rows are written; paths of images are relative to it.
    """
    for item in items:
        if item.ending.status != "accepted":
            continue
        data = item.data
        for place, name in enumerate(item_names(item.id)):
            yield {
                "id": name,
                "pair": item.id,
                "caption": data["captions"][place],
                "images": [seen_from(data["paths"][place], folder)],
                "question": data["question"],
                **data["options"],
                "answer": data["answers"][place],
                "category": data["categories"][place],
                "split": splits[item.id],
            }


def rating_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the columns of the table that experts fill in: a row for each item, no score yet."""
    names = ("id", "question", "A", "B", "answer")
    columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in names}
    columns["image"] = [row["images"][0] for row in rows]
    return {**columns, "rater": [""] * len(rows), "score": [""] * len(rows)}


def summarise_pairs(
    items: Sequence[Item],
    found: FoundPairs,
    splits: Mapping[str, Split],
    categories: Categories | None,
    judge: AnyJudge,
    settings: PairSettings,
    solver: AnyJudge | None = None,
) -> dict[str, Any]:
    """Return the counts, the numbers of pairs found, the categories by split, and the signature."""
    by_split: dict[str, Counter[str]] = {"validation": Counter(), "test": Counter()}
    for item in items:
        if item.id in splits:
            by_split[splits[item.id]].update(set(sum(item.data["categories"], [])))
    return {
        **count_items(items),
        "found_pairs": found.all,
        "pairs_with_unused_images": found.spread,
        "splits": dict(Counter(splits.values())),
        "categories": {name: dict(sorted(counts.items())) for name, counts in by_split.items()},
        "signature": sign(
            judge,
            solver,
            procedure="mediconfusion",
            seed=settings.seed,
            tries=settings.tries,
            least_medical=settings.least_medical,
            most_general=settings.most_general,
            per_image=settings.per_image,
            validation=settings.validation,
            rules=version_of(settings.rules),
            categories=version_of(categories) if categories else None,
        ),
    }


def _stratum(items: Sequence[Item]) -> str:
    names = {name for item in items for own in item.data["categories"] for name in own}
    return ", ".join(sorted(names))
