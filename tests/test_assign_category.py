from typing import Any

import pytest

from dxjudge.agents.assign_category import ASSIGN_CATEGORY

from .scripted import ask_step, example_rows

INPUTS = {"text": "Is the disc at L4/L5 herniated?", "categories": "mediconfusion"}


def test_one_or_more_of_the_list_in_its_order() -> None:
    outcome, seen = ask_step(ASSIGN_CATEGORY, INPUTS, {"categories": ["vascular", "spinal"]})
    assert outcome.value.categories == ("spinal", "vascular")
    assert "- spinal: spine, discs, spinal cord" in seen[0].texts[0]


@pytest.mark.parametrize("answer", [[], ["spine"], ["Spinal"], ["spinal", "dental"]])
def test_listed_only(answer: Any) -> None:
    assert ask_step(ASSIGN_CATEGORY, INPUTS, {"categories": answer})[0].status == "failed"


def test_exactly_one_where_only_one_is_wanted() -> None:
    outcome, seen = ask_step(
        ASSIGN_CATEGORY,
        {**INPUTS, "multiple": False},
        {"categories": ["spinal", "vascular"]},
        {"categories": ["spinal"]},
    )
    assert outcome.repairs == 1
    assert "exactly one" in seen[1].texts[-1]
    assert "the one category that fits best" in seen[0].texts[0]


def test_bare_names_serve_as_categories() -> None:
    inputs = {"text": "x", "categories": ["up", "down"]}
    assert ask_step(ASSIGN_CATEGORY, inputs, {"categories": ["up"]})[0].value.categories == ("up",)
    outcome, _ = ask_step(ASSIGN_CATEGORY, [{**inputs, "categories": ["up", "Up"]}], {})
    assert outcome[0].kind == "input"


def test_the_shipped_lists() -> None:
    assert len(ASSIGN_CATEGORY.read_input(INPUTS).categories.categories) == 9
    specialties = {
        item.name
        for item in ASSIGN_CATEGORY.read_input(
            {**INPUTS, "categories": "medsyn"}
        ).categories.categories
    }
    assert {row["specialty"] for row in example_rows("cases.jsonl")} <= specialties
    for row in example_rows("texts.jsonl"):
        typed = ASSIGN_CATEGORY.read_input({"text": row["text"], "categories": row["categories"]})
        assert set(row["labels"]) <= {item.name for item in typed.categories.categories}


def test_an_empty_text_belongs_nowhere() -> None:
    outcome, seen = ask_step(ASSIGN_CATEGORY, {**INPUTS, "text": ""}, {"categories": ["spinal"]})
    assert outcome.status == "abstained"
    assert seen == []
