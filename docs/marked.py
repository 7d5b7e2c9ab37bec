"""Parts of pages in markdown: cells, tables, docstrings, and types as they are written in code."""

import inspect
import re

MADE = "This page is made from the code, so it is that of this version.\n"
Rows = list[tuple[object, ...]]
_SECTION = re.compile(r"^(Args|Returns|Raises|Yields|Attributes|Examples?|Units?):$", re.MULTILINE)
_ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \w+)*)( \([^)]*\))?: ")


def cell(text: object) -> str:
    """A text as a cell of a table in markdown."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


def table(titles: tuple[str, ...], rows: Rows) -> str:
    """A table in markdown."""
    lines = [titles, tuple("---" for _ in titles), *rows]
    return "\n".join("| " + " | ".join(map(cell, row)) + " |" for row in lines) + "\n"


def docstring(thing: object) -> str:
    """A docstring as markdown: sections in bold, and their entries as lists."""
    text = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    parts = [_paragraph(part) for part in text.split("\n\n") if part.strip()]
    return "\n\n".join(parts) + "\n"


def _paragraph(part: str) -> str:
    heading = _SECTION.match(part)
    if heading:
        return f"**{heading[1]}**\n\n" + _entries(inspect.cleandoc(part[heading.end() + 1 :]))
    if part.lstrip().startswith(">>>"):
        return f"```python\n{inspect.cleandoc(part)}\n```"
    if part.startswith(" "):
        return f"```text\n{inspect.cleandoc(part)}\n```"
    return _entries(part)


def _entries(text: str) -> str:
    """Lines that begin with `name:` as entries of a list; other text as it is."""
    entries: list[str] = []
    for line in text.splitlines():
        starts = not line.startswith(" ") and _ENTRY.match(line)
        if starts:
            entries.append(_ENTRY.sub(lambda m: f"- `{m[1]}`{m[2] or ''}: ", line, count=1))
        elif entries:
            entries[-1] += " " + line.strip()
        else:
            entries.append(line)
    if not any(entry.startswith("- ") for entry in entries):
        return " ".join(" ".join(entries).split())
    plain = [entry for entry in entries if not entry.startswith("- ")]
    listed = [entry for entry in entries if entry.startswith("- ")]
    return "\n\n".join([*filter(None, [" ".join(plain)]), "\n".join(listed)])


def plain(text: str) -> str:
    """A type as it is written in code: without the modules that it comes from."""
    return re.sub(r"(?:\b\w+\.)+(?=[A-Z]\w*)|<factory>", lambda m: "..." * (m[0][0] == "<"), text)
