from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from dxjudge.agents.engine.answer import NotJson, read_answer, read_json, sent_schema

flat = st.dictionaries(st.text(), st.integers() | st.text() | st.none() | st.booleans(), min_size=1)


class Inner(BaseModel):
    title: str = Field(default="x", min_length=1)


class Answer(BaseModel):
    """What to write."""

    default: Literal[0, 2, 3]
    inner: list[Inner] = []


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        '  {"a": 1}\n',
        '```json\n{"a": 1}\n```',
        '```\n{"a": 1}\n```',
        'Here it is: {"a": 1} I hope it helps.',
        '<think>{"a": 2} perhaps {</think>\n{"a": 1}',
        'First I thought {"a": 2}, but finally {"a": 1}',
        'Of the set {x, y} I choose {"a": 1}',
        'An example:\n```json\n{"a": 2}\n```\nAnd the answer:\n```json\n{"a": 1}\n```',
    ],
)
def test_the_object_is_found_in_what_models_write_around_it(text: str) -> None:
    assert read_json(text) == {"a": 1}


@pytest.mark.parametrize("text", ["", "no", "[1]", "3", "null", "the set {x, y"])
def test_what_is_no_json_is_told_from_what_is_bad_json(text: str) -> None:
    if "{" in text:
        with pytest.raises(ValueError):
            read_json(text)
    else:
        with pytest.raises(NotJson):
            read_json(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "cut',
        '{"a": {"b": 1}',
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"outer": {"a": 1}, "cut": "of',
        '{"a": 1} {"b": "cut',
        "{'a': 1} ",
    ],
)
def test_no_part_of_a_broken_object_is_believed(text: str) -> None:
    with pytest.raises(ValueError):
        read_json(text)


@given(flat, st.integers(min_value=1))
def test_no_true_prefix_of_an_object_is_an_answer(value: dict[str, Any], cut: int) -> None:
    import json

    text = json.dumps(value)
    assert read_json(text) == value
    with pytest.raises(ValueError):
        read_json(text[: -(1 + cut % (len(text) - 1))])


def test_the_schema_that_is_sent_is_closed_and_requires_every_field() -> None:
    schema = sent_schema(Answer)
    assert schema["required"] == ["default", "inner"]
    assert schema["additionalProperties"] is False
    inner = schema["$defs"]["Inner"]
    assert inner["required"] == ["title"] and inner["additionalProperties"] is False
    # `title` and `default` are dropped as keywords and kept as names of fields.
    assert set(inner["properties"]) == {"title"} and "default" in schema["properties"]
    assert "title" not in schema and "default" not in inner["properties"]["title"]


def test_problems_name_the_field_and_not_the_value() -> None:
    answer, problems = read_answer(Answer, {"default": "secret", "inner": [{"title": ""}]})
    assert answer is None
    assert problems == [
        "default: Input should be 0, 2 or 3",
        "inner.0.title: String should have at least 1 character",
    ]
