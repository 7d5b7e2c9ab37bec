"""From images and vectors to the pairs that questions are written about."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ...agents.making.list_categories import LIST_CATEGORIES
from ...prompts.data import Categories
from ..asking import Asking
from .confusing import ConfusingPair, Progress, Vectors, find_confusing_pairs, spread_pairs
from .images import JOINT, CaptionedImage
from .pair_settings import PairSettings
from .pair_stages import PairIn

SAMPLE = 100
"""Categories are listed from so many captions, as in MediConfusion."""


@dataclass(frozen=True)
class FoundPairs:
    """The pairs of a set, and the numbers of all pairs and of those with unused images."""

    pairs: tuple[PairIn, ...]
    all: int
    spread: int


def pairs_of_images(
    images: Sequence[CaptionedImage],
    medical: Vectors,
    general: Vectors,
    settings: PairSettings,
    progress: Progress | None = None,
) -> FoundPairs:
    """Find the confusing pairs, widest gap first, each image in at most `per_image` of them."""
    found = find_confusing_pairs(
        medical,
        general,
        least_medical=settings.least_medical,
        most_general=settings.most_general,
        progress=progress,
    )
    spread = spread_pairs(found.pairs, settings.per_image)
    chosen = tuple(_pair(images, pair) for pair in spread[: settings.pairs])
    return FoundPairs(chosen, found.count, len(spread))


def _pair(images: Sequence[CaptionedImage], pair: ConfusingPair) -> PairIn:
    two = images[pair.first], images[pair.second]
    return {
        "id": JOINT.join(image.id for image in two),
        "images": [image.id for image in two],
        "paths": [image.image for image in two],
        "captions": [image.caption for image in two],
        "similarity": {"medical": pair.medical, "general": pair.general},
    }


async def categories_of(
    pairs: Sequence[PairIn], asking: Asking, settings: PairSettings
) -> Categories | str:
    """Return the categories of the settings, or list them from captions drawn with the seed.

    At most 100 captions are drawn. If the step gives no list, return the reason.
    """
    if settings.categories is not None:
        return settings.categories
    captions = dict.fromkeys(
        caption
        for pair in pairs
        for caption in pair["captions"]
        if len(caption) >= settings.rules.caption
    )
    if len(captions) < 2:
        return "there are fewer than two captions to list categories from"
    drawn = random.Random(settings.seed).sample(list(captions), min(SAMPLE, len(captions)))
    inputs = {"captions": tuple(drawn)}
    outcome = await asking.outcome(LIST_CATEGORIES, inputs)
    if outcome.status == "done":
        return Categories.model_validate(outcome.value)
    reasons = outcome.reasons if outcome.status == "failed" else (outcome.reason,)
    return "; ".join(reasons)
