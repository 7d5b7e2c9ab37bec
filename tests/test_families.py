"""Families of models by their names."""

import pytest

from dxjudge.agents.engine.families import families_of

pytestmark = pytest.mark.usefixtures("texts_are_mapped_once")


@pytest.mark.parametrize(
    ("name", "families"),
    [
        ("openai:gpt-4o", {"openai"}),
        ("anthropic:claude-sonnet-4-5", {"anthropic"}),
        ("o3-mini", {"openai"}),
        ("GPT-4o answers", {"openai"}),
        ("meta-llama/Llama-3.1-8B", {"meta"}),
        ("openai:Qwen2.5-7B-Instruct@http://127.0.0.1:8000/v1", {"qwen"}),
        ("deepseek-r1-distill-llama-70b", {"deepseek", "meta"}),
        ("yi-34b", {"01-ai"}),
    ],
)
def test_names_tell_the_family(name: str, families: set[str]) -> None:
    assert families_of(name) == families


@pytest.mark.parametrize(
    "name", ["careful", "video1", "radio1-large", "modelo30", "", "yielding", "o12", "my-gptq"]
)
def test_other_names_tell_nothing(name: str) -> None:
    assert families_of(name) == frozenset()


def test_the_protocol_of_a_server_is_no_family() -> None:
    assert families_of("openai:my-model@http://gpt.example/v1") == frozenset()
