"""Changes that should not change a verdict: what they change, and what they leave alone."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.agents.perturb import (
    KINDS,
    NotApplicable,
    Perturbed,
    perturb,
    perturbations,
    shuffled,
)
from dxjudge.agents.step import Step, variants_of
from dxjudge.agents.steps import STEPS, VARIANTS, find_step
from dxjudge.errors import UsageError

from .scripted import ask_step
from .test_steps_contract import SAMPLES

ALL = [step for step in (*STEPS, *VARIANTS) if step.prompt_name in SAMPLES]
OPTIONS = {
    "question": "Which?",
    "options": {"A": "gout", "B": "lupus", "C": "croup"},
    "answer": "the toe one",
    "multiple": True,
}


def changed(name: str, inputs: dict[str, Any], how: str, seed: int = 0) -> Perturbed:
    step = find_step(name)
    found = perturb(step, step.read_input(inputs), how, seed)
    assert isinstance(found, Perturbed), found
    return found


@pytest.mark.parametrize("step", ALL, ids=lambda step: step.prompt_name)
def test_every_change_keeps_the_item_valid_and_is_seeded(step: Step[Any, Any]) -> None:
    inputs = step.read_input(SAMPLES[step.prompt_name][0])
    for name in perturbations(step):
        found = perturb(step, inputs, name, seed=3)
        assert found == perturb(step, inputs, name, seed=3)
        if isinstance(found, NotApplicable):
            assert found.reason
            continue
        assert step.read_input(found.inputs) == found.inputs
        same_prompt = found.step.load_prompt().render(
            found.step.values(found.inputs)
        ) == step.load_prompt().render(step.values(inputs))
        assert same_prompt == (name == "repeat")


def test_wording_stands_for_every_wording() -> None:
    step = find_step("grade_ddx")
    wordings = tuple(f"wording:{name}" for name in variants_of(step))
    assert perturbations(step, ["wording"]) == wordings
    assert perturbations(step, ["case", "wording:care", "case"]) == ("case", "wording:care")
    assert perturbations(step) == (*KINDS[:2], *wordings, *KINDS[3:])


def test_an_unknown_perturbation_names_the_nearest() -> None:
    step = find_step("grade_ddx")
    with pytest.raises(UsageError, match="no perturbation 'whitspace'; did you mean whitespace?"):
        perturbations(step, ["whitspace"])
    with pytest.raises(UsageError, match="there are order, swap"):
        perturbations(step, ["zzz"])
    with pytest.raises(UsageError, match="no perturbation is named"):
        perturbations(step, [])


@pytest.mark.parametrize("seed", range(6))
def test_letters_are_mapped_back(seed: int) -> None:
    found: Any = changed("match_option", OPTIONS, "order", seed)
    texts = found.inputs.options
    assert list(texts) == ["A", "B", "C"] and texts != OPTIONS["options"]
    assert sorted(texts.values()) == ["croup", "gout", "lupus"]
    # A judge that knows the answer is gout names the letter that gout now has.
    gout = next(letter for letter, text in texts.items() if text == "gout")
    outcome, _ = ask_step(found.step, found.inputs, {"letters": [gout]})
    assert found.restore(outcome.value).letters == ("A",)
    # A judge that always says B says another thing each time.
    always, _ = ask_step(found.step, found.inputs, {"letters": ["B"]})
    own = {text: letter for letter, text in OPTIONS["options"].items()}  # type: ignore[attr-defined]
    assert found.restore(always.value).letters == (own[texts["B"]],)


def test_two_options_change_places_and_their_scores_back() -> None:
    inputs = {"question": "q", "option_a": "gout", "option_b": "lupus", "answer": "toe"}
    found: Any = changed("score_free_answer", inputs, "order")
    assert (found.inputs.option_a, found.inputs.option_b) == ("lupus", "gout")
    outcome, _ = ask_step(found.step, found.inputs, {"closeness_a": 2, "closeness_b": 9})
    value = found.restore(outcome.value)
    assert (value.choice, value.closeness_a, value.closeness_b) == ("A", 9, 2)


@pytest.mark.parametrize("shuffle", [None, 5])
def test_a_candidates_place_is_mapped_back(shuffle: int | None) -> None:
    names = ["Gout", "Lupus", "Croup", "Mumps"]
    inputs = {"diagnosis": "podagra", "candidates": names, "shuffle": shuffle}
    found: Any = changed("choose_candidate", inputs, "order")
    assert found.inputs.candidates != tuple(names)
    outcome, _ = ask_step(found.step, found.inputs, {"choice": "Croup"})
    assert found.restore(outcome.value).index == 2
    assert found.restore(outcome.value).name == "Croup"


def test_entries_of_data_change_places() -> None:
    for name, inside in (("score_rubric", "rubric"), ("label_errors", "taxonomy")):
        step = find_step(name)
        base: Any = step.read_input(SAMPLES[name][0])
        found: Any = changed(name, SAMPLES[name][0], "order")
        before, after = (dict(getattr(x, inside)) for x in (base, found.inputs))
        key = "dimensions" if inside == "rubric" else "categories"
        assert set(before[key]) == set(after[key]) and before[key] != after[key]


def test_swap_is_for_symmetric_steps_alone() -> None:
    inputs = {"predicted": "podagra", "truth": "gout"}
    found: Any = changed("judge_equivalence", inputs, "swap")
    assert (found.inputs.predicted, found.inputs.truth) == ("gout", "podagra")
    step = find_step("judge_equivalence.correct")  # a mere group is no hit, but may be the truth
    assert isinstance(perturb(step, step.read_input(inputs), "swap"), NotApplicable)


def test_only_the_text_under_judgement_changes() -> None:
    inputs = {"case": "A red toe.", "reference": "Gout.", "response": "I see gout here."}
    for how in ("whitespace", "case", "irrelevant", "injection"):
        found: Any = changed("score_rubric", inputs, how)
        assert (found.inputs.case, found.inputs.reference) == ("A red toe.", "Gout.")
        assert found.inputs.response != inputs["response"]
        assert "".join(found.inputs.response.split()).casefold().startswith("iseegouthere.")


def test_of_a_list_the_last_entry_gets_the_sentence() -> None:
    found: Any = changed("grade_ddx", {"truth": "gout", "ddx": ["lupus", "croup"]}, "injection")
    assert found.inputs.ddx[0] == "lupus" and found.inputs.ddx[1].startswith("croup\n\n")


def test_what_the_judge_would_not_see_does_not_apply() -> None:
    step = find_step("grade_ddx")
    one = step.read_input({"truth": "gout", "ddx": ["lupus"]})
    found = perturb(step, one, "order")
    assert found == NotApplicable("the judge would see the same prompt")
    # A list is shown with single spaces.
    assert perturb(step, one, "whitespace") == found
    assert isinstance(perturb(find_step("extract_ddx"), one, "order"), NotApplicable)


@given(st.integers(0, 9), st.integers())
def test_shuffled_is_another_order_where_there_is_one(count: int, seed: int) -> None:
    places = shuffled(count, random.Random(seed))
    assert sorted(places) == list(range(count))
    assert count < 2 or places != list(range(count))
