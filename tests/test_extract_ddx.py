from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.agents.extract_ddx import EXTRACT_DDX
from dxjudge.agents.rules.wording import bare_name, fold, merge

from .scripted import ask_step, settle

STEP = EXTRACT_DDX


def test_order_is_kept_and_an_empty_list_abstains() -> None:
    outcome, _ = ask_step(STEP, {"text": "t"}, {"diagnoses": ["gout", "lupus", "asthma"]})
    assert outcome.value.diagnoses == ("gout", "lupus", "asthma")
    nothing, _ = ask_step(STEP, {"text": "Fine weather."}, {"diagnoses": []})
    assert nothing.status == "abstained"


def test_the_prompt_wants_ruled_out_and_implied_candidates() -> None:
    _, seen = ask_step(STEP, {"text": "t"}, {"diagnoses": []})
    assert "considered and ruled out" in seen[0].texts[0]
    assert "only implied" in seen[0].texts[0]


def test_qualifiers_and_probabilities_are_stripped_and_the_same_disease_merged_by_code() -> None:
    given = [
        "1. Probable tuberculous meningitis (80 %)",
        "2) TB meningitis",
        "Haemolytic uraemic syndrome - 10%",
        "HUS",
        "hemolytic uremic syndrome (unlikely)",
        "Crohn's disease",
        "CROHN DISEASE",
    ]
    outcome, seen = ask_step(STEP, {"text": "t"}, {"diagnoses": given})
    assert outcome.value.diagnoses == (
        "tuberculous meningitis",
        "TB meningitis",  # another wording: merging it is the model's part
        "Haemolytic uraemic syndrome",
        "Crohn's disease",
    )
    dropped = [entry.dropped for entry in outcome.value.merged]
    assert dropped == ["HUS", "hemolytic uremic syndrome", "CROHN DISEASE"]
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("entry", "told"),
    [("  ", "diagnoses.2: is empty"), ("gout or lupus", "diagnoses.2: holds more than one")],
)
def test_entries_that_name_nothing_or_two_go_back(entry: Any, told: Any) -> None:
    outcome, seen = ask_step(
        STEP, {"text": "t"}, {"diagnoses": ["asthma", entry]}, {"diagnoses": ["asthma"]}
    )
    assert outcome.repairs == 1
    assert told in seen[1].texts[-1]


def test_a_bare_list_decides_without_a_model() -> None:
    text = "1. Gout (60%)\n2. Septic arthritis\n\n3. gout\n"
    outcome = settle(STEP, {"text": text})
    assert outcome.decided_by == "rules"
    assert outcome.value.diagnoses == ("Gout", "Septic arthritis")


@pytest.mark.parametrize(
    "text",
    [
        "Differential:\n1. Gout\n2. Lupus",  # prose may hold more
        "1. Gout",
        "1. Gout: crystals were seen\n2. Lupus",
        "- Gout, ruled out\n- Lupus",
        "1. most likely the joint was punctured because of fever\n2. Lupus",
    ],
)
def test_anything_but_a_bare_list_needs_a_model(text: Any) -> None:
    assert settle(STEP, {"text": text}).kind == "undecided"


def test_empty_text_abstains_under_every_engine() -> None:
    for engine in ("rules", "auto"):
        assert settle(STEP, {"text": "  "}, engine).status == "abstained"


NAMES = st.sampled_from(
    ["Gout", "gout ", "HUS", "hemolytic uremic syndrome", "1. Gout (10%)", "Lupus", "lupus?", ""]
)


@given(st.lists(NAMES, max_size=12))
def test_merging_keeps_each_disease_once_and_changes_nothing_the_second_time(entries: Any) -> None:
    kept, dropped = merge(entries)
    folds = [fold(name) for name in kept]
    assert len(set(folds)) == len(folds)
    assert len({name.casefold() for name in kept}) == len(kept)
    assert merge(kept) == (kept, ())
    assert len(kept) + len(dropped) == sum(bool(fold(bare_name(entry))) for entry in entries)
