from typing import Any

import pytest

from dxjudge.agents.rules.technical import technical_fault

from .scripted import example_rows


@pytest.mark.parametrize(
    ("response", "fault"),
    [
        ("", "the response is empty"),
        (" \n\t", "the response is empty"),
        ("<|im_end|>", "the response is empty"),
        ("None", "the response is empty"),
        ("{}", "the response is empty"),
        ("...!", "the response holds no word"),
        ('{"diagnosis": "go', "the response is JSON that breaks off"),
        ("Traceback (most recent call last):\n  File", "the response is an error message"),
        ("Error code: 429 - rate limit", "the response is an error message"),
        ('{"error": {"message": "x"}}', "the response is an error message"),
        ("<!DOCTYPE html><html>", "the response is an error message"),
        ("\ufffd\ufffd\ufffd a", "the response is not readable text"),
        ("the rash " * 40, "the response repeats itself without end"),
        ("go " * 30, "the response repeats itself without end"),
    ],
)
def test_empty_and_broken_responses(response: Any, fault: Any) -> None:
    assert technical_fault(response) == fault


@pytest.mark.parametrize(
    "response",
    [
        "Gout.",
        "I cannot help with that.",
        '{"diagnosis": "gout"}',
        '{"diagnosis": "gout"} That is all.',
        "Error in the history: he does not smoke.",
        "[1] Gout is likely.",
        "no no no, it is not gout",
        "痛风",
        "Timeouts are no disease.",
    ],
)
def test_what_can_be_judged_is_judged(response: Any) -> None:
    assert technical_fault(response) is None


def test_on_the_examples_only_the_empty_and_the_broken_one() -> None:
    faulty = {row["id"] for row in example_rows("cases.jsonl") if technical_fault(row["response"])}
    marked = {
        row["id"]
        for row in example_rows("cases.jsonl")
        if {"empty", "broken"} & set(row["features"])
    }
    assert faulty == marked and len(marked) == 2
