"""Pages of the docs as what can be run: their blocks, commands and Python, and what they show."""

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
SHELL = ("sh", "bash", "console")
_FENCE = re.compile(r"^```(\w*)(?: title=\"([^\"\n]*)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEREDOC = re.compile(r"<<'?(\w+)'?")


class Block(NamedTuple):
    """A fenced block: its language, its text, the line of the page that it begins at, its title.

    The title names the file that the block is. "Output" is what the block before it printed, and
    "Output: NAME" is the file NAME that it wrote. In both, `…` stands for what varies.
    """

    language: str
    text: str
    line: int
    title: str = ""


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    text = (ROOT / page).read_text("utf-8")
    for match in _FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        yield Block(match[1], match[3], line, match[2] or "")


def statements(block: Block) -> list[str]:
    """The statements of a shell block: continued lines joined, a here document with its text.

    In a block with prompts ($) only the lines with a prompt are statements.
    """
    joined = iter(re.sub(r"\\\n\s*", " ", block.text).splitlines())
    prompts = "\n$ " in f"\n{block.text}"
    found = []
    for line in joined:
        if not line.strip() or line.startswith("#") or (prompts and not line.startswith("$ ")):
            continue
        lines = [line.removeprefix("$ ")]
        heredoc = _HEREDOC.search(line)
        while heredoc and lines[-1] != heredoc[1]:
            lines.append(next(joined))
        found.append("\n".join(lines))
    return found


def shown_lines(block: Block) -> str:
    """What a block with prompts ($) shows below its commands."""
    joined = re.sub(r"\\\n\s*", " ", block.text)
    if "\n$ " not in f"\n{joined}":
        return ""
    return "\n".join(line for line in joined.splitlines() if not line.startswith("$ "))


def matches(shown: str, printed: str) -> bool:
    """Whether the lines shown stand in what was printed; `…` is any text, or any lines."""
    pattern = []
    for line in shown.strip().splitlines():
        if line.strip() == "…":
            pattern.append(r"(?:[^\n]*\n)*?")
        else:
            words = [re.escape(" ".join(part.split())) for part in re.split("(…)", line)]
            pattern.append(r"\s*" + r"\s*".join(words).replace("…", r"[^\n]*?") + r"\s*?\n")
    plain = "\n".join(" ".join(line.split()) for line in printed.splitlines()) + "\n"
    return re.search("(?:^|\n)" + "".join(pattern), plain) is not None


def commands(page: str) -> list[list[str]]:
    """The dxjudge commands of a page without comments and prompts, as lists of arguments."""
    lines = [line for one in blocks(page) if one.language in SHELL for line in statements(one)]
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
