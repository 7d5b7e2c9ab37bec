"""Rewrites of terms that the models are trained on: seeded, and by whole words."""

import importlib.util
import random
from pathlib import Path
from typing import Any

import pytest

PATH = Path(__file__).parents[1] / "training" / "variants.py"


@pytest.fixture(scope="module")
def variants() -> Any:
    spec = importlib.util.spec_from_file_location("variants", PATH)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_one_seed_gives_one_entry(variants: Any) -> None:
    def drawn(seed: int) -> list[str]:
        rng = random.Random(seed)
        return [variants.chart("Acute appendicitis", rng, {}, ["Asthma"]) for _ in range(20)]

    assert drawn(1) == drawn(1)
    assert len(set(drawn(1))) > 10


def test_an_entry_of_a_chart_abbreviates_whole_words(variants: Any) -> None:
    shorts = variants.short_forms([("flu", "influenza"), ("CHF", "congestive heart failure")])
    assert list(shorts) == ["congestive heart failure", "influenza"]  # the longest first
    rng = random.Random(2)
    texts = ["Parainfluenza virus pneumonia", "Congestive heart failure with edema"]
    made = [variants.chart(texts[n % 2], rng, shorts, ["Gout"]).lower() for n in range(200)]
    assert not any("paraflu" in text for text in made)
    assert any("chf" in text for text in made) and any("w/" in text for text in made)


def test_a_rewrite_abbreviates_whole_words(variants: Any) -> None:
    rng = random.Random(3)
    made = {variants.variant("Alcoholic hepatitis", rng, {"alcohol": "EtOH"}) for _ in range(200)}
    assert not any("EtOHic" in text for text in made)
    made = {variants.variant("Alcohol dependence", rng, {"alcohol": "EtOH"}) for _ in range(200)}
    assert any("EtOH" in text for text in made)
