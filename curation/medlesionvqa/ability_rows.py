"""The output of MedLesionVQA: questions as `dxjudge answer` and `evaluate` read them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...agents.engine.judges import AnyJudge
from ...scoring.choice import Placed, uniform_positions
from ...scoring.share_limits import wilson
from ..item import Item
from ..paths import seen_from
from ..split import Cluster, Split, joined, split_clusters
from ..write import count_items, sign, version_of
from .ability_settings import AbilitySettings

QUESTIONS = "questions.jsonl"


def accepted(items: Sequence[Item]) -> list[Item]:
    """Return the accepted items."""
    return [item for item in items if item.ending.status == "accepted"]


def splits_of(items: Sequence[Item], settings: AbilitySettings) -> dict[str, Split]:
    """Return the split of each accepted question.

    Questions about one record, one patient or one image stand in the same split.
    """
    kept = accepted(items)
    if not kept:
        return {}
    parts = {item.id: _parts(item) for item in kept}
    clusters = [Cluster("all", group) for group in joined(parts)]
    return split_clusters(clusters, settings.validation, settings.seed)


def question_rows(
    items: Sequence[Item], splits: Mapping[str, Split], folder: Path
) -> Iterator[dict[str, Any]]:
    """Yield a row for each accepted question; paths of images are relative to `folder`."""
    for item in accepted(items):
        data = item.data
        yield {
            "id": item.id,
            "record": data["record"],
            "patient": data["patient"],
            "ability": data["ability"],
            "type": data["type"],
            "kind": data["kind"],
            "images": [seen_from(image, folder) for image in data["images"]],
            "question": data["question"],
            **data["options"],
            "answer": data["answer"],
            "text_only": data["text_only"],
            "split": splits[item.id],
        }


def summarise_questions(
    items: Sequence[Item],
    wanted: Mapping[str, int],
    splits: Mapping[str, Split],
    judge: AnyJudge,
    settings: AbilitySettings,
    solver: AnyJudge | None = None,
) -> dict[str, Any]:
    """Return the counts, the abilities, positions of right options, and text-only solvability."""
    kept = accepted(items)
    return {
        **count_items(items),
        "abilities": _abilities(kept, wanted, settings),
        "types": dict(sorted(Counter(item.data["type"] for item in kept).items())),
        "right_positions": _positions(kept),
        "text_only": _text_only(kept),
        "splits": dict(Counter(splits.values())),
        "signature": sign(
            judge,
            solver,
            procedure="medlesionvqa",
            seed=settings.seed,
            tries=settings.tries,
            questions=settings.questions,
            validation=settings.validation,
            values=version_of(settings.lists),
            abilities=version_of(settings.rules),
        ),
    }


def missing_of(summary: Mapping[str, Any]) -> list[str]:
    """Return a line for each ability that has fewer questions than it should have."""
    return [
        f"ability {name}: {own['questions']} of {own['wanted']} questions are accepted"
        for name, own in summary["abilities"].items()
        if own["questions"] < own["wanted"]
    ]


def _abilities(
    kept: Sequence[Item], wanted: Mapping[str, int], settings: AbilitySettings
) -> dict[str, Any]:
    counts = Counter(item.data["ability"] for item in kept)
    return {
        ability.name: {
            "wanted": wanted.get(ability.name, 0),
            "questions": counts[ability.name],
            "wanted_share": ability.share,
            "share": round(counts[ability.name] / len(kept), 4) if kept else None,
        }
        for ability in settings.rules.abilities
    }


def _positions(kept: Sequence[Item]) -> dict[str, Any]:
    """Return how often each letter is right, and the test of uniform positions."""
    placed = [_placed(item) for item in kept if item.data["options"]]
    letters = Counter(letter for item in kept if item.data["options"] for letter in _right(item))
    test = uniform_positions(placed)
    return {
        "counts": dict(sorted(letters.items())),
        "chi_square": test.statistic,
        "degrees": test.degrees,
        "p_value": test.p_value,
        "smallest_expected": test.smallest,
    }


def _placed(item: Item) -> Placed:
    letters = list(item.data["options"])
    return Placed(tuple(letters.index(letter) for letter in _right(item)), len(letters))


def _right(item: Item) -> list[str]:
    return str(item.data["answer"]).split(",")


def _text_only(kept: Sequence[Item]) -> dict[str, Any]:
    """Return by type the share of questions that the solver answers without the image."""
    shares: dict[str, Any] = {}
    for kind in sorted({item.data["type"] for item in kept}):
        marks = [item.data["text_only"] for item in kept if item.data["type"] == kind]
        share = sum(marks) / len(marks)
        interval = list(wilson(share, len(marks)))
        shares[kind] = {"n": len(marks), "share": share, "interval": interval}
    return shares


def _parts(item: Item) -> list[str]:
    named = [f"record {item.data['record']}", *(f"image {path}" for path in item.data["images"])]
    return [*named, f"patient {item.data['patient']}"] if item.data["patient"] else named
