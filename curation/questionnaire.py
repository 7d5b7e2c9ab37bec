"""The questionnaire of DermCase for experts, from the diagnoses of accepted items.

Its rows name their step, so that `dxjudge rate questionnaire.jsonl` asks them: two diagnoses from 1
to 7 (`grade_likeness`), two pairs of which one is closer (`choose_closer_pair`), and images against
a label from 1 to 7 (`grade_image_label`), where the reports come with images.
"""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from ..agents.images import images_of
from ..agents.people.questionnaire import CHOOSE_CLOSER_PAIR, GRADE_IMAGE_LABEL, GRADE_LIKENESS
from .item import Item
from .paths import seen_from
from .reports import Report
from .settings import Settings

QUESTIONNAIRE = "questionnaire.jsonl"
Images = list[dict[str, Any]]
"""The images of a report, each as an object with `path`, `url` or `data`."""


def questions_of_items(
    items: Sequence[Item], settings: Settings, images: Mapping[str, Images] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the rows for the accepted items; the order of two pairs is drawn by the seed.

    For each item: its final diagnosis against each considered diagnosis; for every two of these,
    which is closer to the final diagnosis; and its images against each of these diagnoses.

    images: of each report, by its name. The images of a report with several cases are left out,
    because it is not known which case they show.
    """
    cases = Counter(_report(item) for item in items)
    for item in items:
        record = item.data.get("record", {}).get(settings.form.diagnosis, ())
        if item.ending.status == "accepted" and isinstance(record, list) and record:
            own = (images or {}).get(_report(item), []) if cases[_report(item)] == 1 else []
            draw = random.Random(f"{settings.seed}/{item.id}")
            yield from _questions(item, record[0], own, draw)


def images_of_reports(reports: Sequence[Report], folder: Path) -> dict[str, Images]:
    """Return the images of the column `images`, by report, with paths as seen from a folder.

    Raises InputError, naming the report, for a cell that does not name images.
    """
    return {
        report.id: [
            {"path": seen_from(str(one.path), folder)} if one.path else one.model_dump(mode="json")
            for one in images_of(report.about.get("images"), report.folder, "images")
        ]
        for report in reports
    }


def _report(item: Item) -> str:
    return item.id.rpartition("/")[0] or item.id


def _questions(
    item: Item, truth: str, images: Images, draw: random.Random
) -> Iterator[dict[str, Any]]:
    others = list(dict.fromkeys(item.data.get("considered", ())))
    for number, other in enumerate(others, 1):
        yield {
            **_about(item, "likeness", number, GRADE_LIKENESS.name),
            "first": truth,
            "second": other,
        }
    for number, pair in enumerate(combinations(others, 2), 1):
        first, second = draw.sample(pair, 2)
        yield {
            **_about(item, "pairs", number, CHOOSE_CLOSER_PAIR.name),
            "pair_a": [truth, first],
            "pair_b": [truth, second],
        }
    for number, label in enumerate((truth, *others) if images else (), 1):
        yield {
            **_about(item, "image", number, GRADE_IMAGE_LABEL.name),
            "images": images,
            "label": label,
        }


def _about(item: Item, kind: str, number: int, step: str) -> Mapping[str, str]:
    return {"id": f"{item.id}/{kind}/{number}", "report": item.id, "step": step}
