"""Pages of the docs as what can be run: their commands and their Python blocks."""

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block: its language, its text, and the line of the page that it begins at."""

    language: str
    text: str
    line: int


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    text = (ROOT / page).read_text("utf-8")
    for match in _FENCE.finditer(text):
        yield Block(match[1], match[2], text.count("\n", 0, match.start()) + 2)


def commands(page: str) -> list[list[str]]:
    """The dxjudge commands of a page without comments and prompts, as lists of arguments."""
    lines: list[str] = []
    for block in blocks(page):
        if block.language in ("", "sh", "console"):
            joined = re.sub(r"\\\n\s*", " ", block.text)
            lines += [line.removeprefix("$ ") for line in joined.splitlines()]
    split = (shlex.split(line, comments=True) for line in lines if line.startswith("dxjudge "))
    return [words[1:] for words in split]


def python_of(page: str) -> str:
    """All Python blocks of a page as one program, each line where it stands in the page."""
    program: list[str] = []
    for block in blocks(page):
        if block.language == "python":
            program += [""] * (block.line - 1 - len(program)) + block.text.splitlines()
    return "\n".join(program)


def valid_answer(schema: Mapping[str, Any]) -> Any:
    """A value that fits a JSON schema: of each choice the first."""
    return _fill(schema, schema.get("$defs", {}))


def _fill(schema: Mapping[str, Any], named: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        return _fill(named[schema["$ref"].rpartition("/")[2]], named)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    for choices in ("anyOf", "oneOf", "allOf"):
        if choices in schema:
            return _fill(schema[choices][0], named)
    kind = schema.get("type")
    if kind == "object":
        return {name: _fill(field, named) for name, field in schema.get("properties", {}).items()}
    if kind == "array" and schema["items"] == {"type": "string"}:
        return ["gout", "sepsis", "asthma", "croup", "measles"][: schema.get("minItems", 0)]
    if kind == "array":
        return [_fill(schema["items"], named)] * schema.get("minItems", 0)
    plain: dict[Any, Any] = {"string": "gout", "boolean": True, "null": None}
    return plain.get(kind, schema.get("minimum", 1))
