"""Every step in other words: the same task, another prompt."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from dxjudge.agents.engine.call import prepare
from dxjudge.agents.engine.judges import as_judge
from dxjudge.agents.step import Step, schema_of, variants_of, vary
from dxjudge.agents.steps import STEPS, VARIANTS, find_step
from dxjudge.errors import UsageError
from dxjudge.graphs.step import run_step
from dxjudge.prompts.load import Prompt
from dxjudge.prompts.variants import axes

from .scripted import ask_step
from .test_steps_contract import SAMPLES

ALL = [step for step in (*STEPS, *VARIANTS) if step.prompt_name in SAMPLES]
PAIRS = [(step, variant) for step in ALL for variant in variants_of(step)]
WITH_WORDS = [step for step in ALL if step.load_prompt().words]
IDS = [f"{step.prompt_name}~{variant}" for step, variant in PAIRS]
# After the axes of MediConfusion's prompt variants.
AXES = set(
    "shorten reorder role politeness emphasis layout no_instructions more_explanation "
    "single_letter care".split()
)


def words_of(prompt: Prompt) -> str:
    return f"{prompt.system}\n{prompt.user}"


def names_in(schema: Any) -> set[str]:
    """The fields, labels and limits of an answer, wherever its schema has them."""
    if isinstance(schema, list):
        return set().union(*map(names_in, schema)) if schema else set()
    if not isinstance(schema, dict):
        return set()
    found = set(schema.get("properties", {}))
    found |= {str(value) for value in schema.get("enum", [])}
    found |= {str(schema[name]) for name in ("const", "minimum", "maximum") if name in schema}
    found |= {"null"} if schema.get("type") == "null" else set()
    return found.union(*(names_in(value) for value in schema.values()))


def holds(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


@pytest.mark.parametrize("step", WITH_WORDS, ids=lambda step: step.prompt_name)
def test_every_step_with_words_has_at_least_ten_wordings_all_different(
    step: Step[Any, Any],
) -> None:
    names = variants_of(step)
    assert set(names) >= AXES
    prompts = [step.load_prompt(), *(vary(step, name).load_prompt() for name in names)]
    assert len({words_of(prompt) for prompt in prompts}) == 1 + len(names)
    assert len({prompt.hash for prompt in prompts}) == 1 + len(names)


@pytest.mark.parametrize(("step", "variant"), PAIRS, ids=IDS)
def test_a_wording_holds_what_the_prompt_holds(step: Step[Any, Any], variant: str) -> None:
    base, other = step.load_prompt(), vary(step, variant).load_prompt()
    assert other.placeholders == base.placeholders
    # Each placeholder as often as in the base: text under judgement is shown once.
    found = sorted(re.findall(r"\{\{(\w+)\}\}", words_of(other)))
    assert found == sorted(re.findall(r"\{\{(\w+)\}\}", words_of(base)))
    assert "[[" not in words_of(other)
    inputs = step.read_input(SAMPLES[step.prompt_name][0])
    answer: type[BaseModel] = step.output_model(inputs)
    labels = names_in(schema_of(answer))
    named = {label for label in labels if holds(words_of(base), label)}
    assert {label for label in named if not holds(words_of(other), label)} == set()


@pytest.mark.parametrize(("step", "variant"), PAIRS, ids=IDS)
def test_a_wording_is_a_call_of_its_own(step: Step[Any, Any], variant: str) -> None:
    inputs = step.read_input(SAMPLES[step.prompt_name][0])
    judge = as_judge("openai:gpt-4o")
    base, other = prepare(step, inputs, judge), prepare(vary(step, variant), inputs, judge)
    assert other.key != base.key
    assert other.rendered != base.rendered
    assert other.fields["input"] == base.fields["input"]


def test_the_axes_are_the_wordings_that_there_are() -> None:
    text = (Path(__file__).parents[1] / "prompts" / "variants.yaml").read_text("utf-8")
    assert set(axes()) == set(yaml.safe_load(text)["axes"]) >= AXES


def test_a_prompt_without_words_has_the_wordings_that_need_none() -> None:
    step = replace(
        find_step("grade_ddx"), prompt=replace(find_step("grade_ddx").load_prompt(), words={})
    )
    assert set(variants_of(step)) == {"reorder", "politeness", "emphasis", "layout",
                                      "instructions_last", "care"}  # fmt: skip


def test_a_step_in_other_words_judges_like_the_step() -> None:
    step = vary(find_step("judge_equivalence"), "no_instructions")
    outcome, seen = ask_step(step, {"predicted": "a", "truth": "b"}, {"same_disease": "yes"})
    assert outcome.status == "done" and outcome.value.equivalent
    assert outcome.step == "judge_equivalence"
    assert "Answer yes or no." in seen[0].texts[0]
    assert "acute or chronic" not in seen[0].texts[0]
    assert "Treat everything between" in " ".join(seen[0].texts[0].split())  # the fence's notice


def test_the_same_variant_is_the_same_object() -> None:
    step = find_step("grade_ddx")
    assert vary(step, "care") is vary(step, "care") is find_step("grade_ddx~care")
    assert variants_of(vary(step, "care")) == ()


def test_an_unknown_variant_names_the_nearest() -> None:
    step = find_step("grade_ddx")
    with pytest.raises(UsageError, match="no variant 'shortn'; did you mean shorten?"):
        vary(step, "shortn")
    with pytest.raises(UsageError, match="it has shorten, reorder, role"):
        find_step("grade_ddx~zzz")
    with pytest.raises(UsageError, match="did you mean grade_ddx"):
        find_step("grade_dx~care")
    with pytest.raises(UsageError, match="has no variant"):
        asyncio.run(run_step("grade_ddx~nothing", []))
