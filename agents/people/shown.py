"""What a person sees of an item: the task, the rules and the material, without who wrote it."""

import random
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from ...prompts.load import Prompt, Value
from ..step import Step

_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_LONGEST_TITLE = 60
_BEGINS = re.compile(r"\s*(?:[-*#]|\d+[.:]|\{\{)")


class Passage(BaseModel):
    """A text to read, or a list of texts; `name` is the value of the prompt that it is."""

    model_config = ConfigDict(frozen=True)

    name: str
    title: str
    text: str = ""
    items: tuple[str, ...] | None = None


class Shown(BaseModel):
    """One item as people see it. rules: the instructions, as judges get them."""

    model_config = ConfigDict(frozen=True)

    task: str
    rules: str
    material: tuple[Passage, ...]


def arrange(inputs: BaseModel, draw: random.Random) -> BaseModel:
    """Return the input in a drawn order, where the step has a field for it.

    `swapped` exchanges the two sides, `shuffle` is the seed of an order. The step's verdict names
    what was given, whatever the order in which it was shown.
    """
    fields = type(inputs).model_fields
    drawn: dict[str, Any] = {}
    if "swapped" in fields and fields["swapped"].annotation is bool:
        drawn["swapped"] = draw.random() < 0.5
    if "shuffle" in fields and fields["shuffle"].annotation in (int, int | None):
        drawn["shuffle"] = draw.randrange(1_000_000)
    return inputs.model_copy(update=drawn)


def show(step: Step[Any, Any], inputs: BaseModel) -> Shown:
    """Return what a person sees of an item. Raises UsageError where the prompt cannot be used."""
    prompt, values = step.load_prompt(), step.values(inputs)
    material = [name for name in _PLACEHOLDER.findall(prompt.user) + list(values)
                if name in values and prompt.placeholders[name] == "untrusted"]  # fmt: skip
    task = prompt.words.get("task") or prompt.system.partition("\n\n")[0]
    return Shown(
        task=" ".join(task.split()),
        rules=_rules(prompt, values),
        material=tuple(_passage(prompt, name, values[name]) for name in dict.fromkeys(material)),
    )


def _passage(prompt: Prompt, name: str, value: Value) -> Passage:
    title = _heading(prompt.user, name)
    if isinstance(value, str):
        return Passage(name=name, title=title, text=value)
    return Passage(name=name, title=title, items=tuple(value))


def _heading(message: str, name: str) -> str:
    """Return the line above a placeholder as its title, or its name in words."""
    before = re.split(rf"\{{\{{\s*{re.escape(name)}\s*\}}\}}", message)[0].rstrip()
    line = before.rpartition("\n")[2].strip()
    has_title = line.endswith(":") and len(line) <= _LONGEST_TITLE and "{{" not in line
    return line[:-1] if has_title else name.replace("_", " ").capitalize()


def _rules(prompt: Prompt, values: Mapping[str, Value]) -> str:
    def fill(match: re.Match[str]) -> str:
        value = values.get(match[1], "")
        if prompt.placeholders.get(match[1]) == "untrusted":
            return f"({match[1].replace('_', ' ')})"
        return value if isinstance(value, str) else "\n".join(f"- {one}" for one in value)

    own = [prompt.system]
    trusted = [name for name, trust in prompt.placeholders.items() if trust == "trusted"]
    missing = [name for name in trusted if f"{{{{{name}}}}}" not in prompt.system]
    own += [f"{{{{{name}}}}}" for name in missing]
    return "\n\n".join(_PLACEHOLDER.sub(fill, _unwrapped(text)) for text in own)


def _unwrapped(text: str) -> str:
    """Return a prompt without the line ends inside its paragraphs, for pages of any width."""
    lines: list[str] = []
    for line in text.split("\n"):
        begins = not line.strip() or _BEGINS.match(line)
        if lines and lines[-1].strip() and not begins and not lines[-1].startswith("#"):
            lines[-1] = f"{lines[-1]} {line.strip()}"
        else:
            lines.append(line)
    return "\n".join(lines)
