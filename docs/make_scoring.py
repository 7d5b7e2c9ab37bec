"""Write docs/scoring.md from the docstrings of `dxjudge.scoring`: python docs/make_scoring.py."""

import importlib
import inspect
import re
from pathlib import Path
from types import FunctionType

import dxjudge.scoring

PAGE = Path(__file__).parent / "scoring.md"

_HEAD = """# Measures and numbers

Every measure of `dxjudge.scoring`, with its formula, its source and a worked example that a
test runs. This page is made from the docstrings by `python docs/make_scoring.py`; change them,
not the page.

An item with no verdict is None, NaN or `FAILED`: it is left out of a number and stands in its
bounds.
"""


def page() -> str:
    """The whole page as markdown."""
    by_module: dict[str, list[FunctionType]] = {}
    tools: list[FunctionType] = []
    for name in dxjudge.scoring.__all__:
        function = getattr(dxjudge.scoring, name)
        if not inspect.isfunction(function):
            continue
        if is_measure(function):
            by_module.setdefault(function.__module__, []).append(function)
        else:
            tools.append(function)
    parts = [_HEAD]
    for module in sorted(by_module):
        title = _first(importlib.import_module(module).__doc__ or "")
        parts.append(f"## {title}\n")
        parts += [_measure(function) for function in by_module[module]]
    parts.append("## Tools\n")
    parts += [f"- `{one.__name__}`: {_first(one.__doc__ or '')}." for one in tools]
    return "\n".join(parts) + "\n"


def is_measure(function: FunctionType) -> bool:
    """Whether a docstring gives a formula and a source."""
    text = function.__doc__ or ""
    return "Formula:" in text and "Source:" in text


def _first(text: str) -> str:
    return " ".join(text.strip().split("\n\n")[0].split()).rstrip(".")


def _measure(function: FunctionType) -> str:
    text = inspect.cleandoc(function.__doc__ or "")
    body, _, example = text.partition(">>>")
    names = ", ".join(inspect.signature(function).parameters)
    lines = [f"### {function.__name__}({names})\n", _markdown(body)]
    if example:
        lines.append(f"```python\n>>>{example.rstrip()}\n```\n")
    return "\n".join(lines)


def _markdown(body: str) -> str:
    """Google-style sections as lists; formula and source as paragraphs of their own."""
    made = []
    for part in body.strip().split("\n\n"):
        section = re.match(r"(Args|Returns|Raises):\n", part)
        if section:
            entries = re.sub(r"\n {5,}", " ", inspect.cleandoc(part[section.end() :]))
            entries = re.sub(r"\n(?=\S+(?:Error|Fault|Code):|\w+: )", "\n- ", entries)
            made.append(f"{section[1]}:\n\n- {entries}\n")
        else:
            flat = part if part.startswith(" ") else " ".join(part.split())
            flat = re.sub(r"^(Formula|Source):", r"**\1.**", flat)
            made.append(flat + "\n")
    return "\n".join(made)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
