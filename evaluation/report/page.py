"""The report as one file: style, data and script inside, and nothing asked of any server."""

import hashlib
from base64 import b64encode
from html import escape
from importlib.resources import files

from ..pages.main_cells import MainTable
from ..pages.overview import Overview

BUILT = "built"
"""The folder with the built pages; a source tree has it after `make pages`."""
_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<div id="app"></div>
{without}
<script type="application/json" id="data">{data}</script>
<script type="application/json" id="packed">{packed}</script>
<script>{script}</script>
</body>
</html>
"""
_OFF = (
    "This page shows its figures, cases and filters with JavaScript, which is off. All numbers are "
    "in the tables beside this file (summary.csv, main_table.csv and others); the figures are in "
    "the folder figures."
)
_NOT_BUILT = (
    "This page has no figures, cases and filters, because the pages of this copy of dxjudge were "
    "not built: run make pages in its source folder, then the same dxjudge evaluate again. All "
    "numbers are in the tables beside this file (summary.csv, main_table.csv and others); the "
    "figures are in the folder figures."
)


def report_page(title: str, overview: Overview, data: str, packed: str) -> str:
    """Return the page. Without the built pages it has the main table and says how to build them.

    data: JSON that is safe inside a script element, by the paths that the pages load. packed: the
    same, with blocks of further data, each packed (case_pages.py), by the path that unpacks it.
    """
    style, script = _built("report.css"), _built("report.js").replace("</script", "<\\/script")
    rest = _without(overview, _OFF if script else _NOT_BUILT)
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "img-src data:; form-action 'none'; base-uri 'none'"
    )
    return _HEAD.format(
        policy=policy,
        title=escape(title),
        style=style,
        without=f"<noscript>{rest}</noscript>" if script else rest,
        data=data,
        packed=packed,
        script=script,
    )


def _built(name: str) -> str:
    path = files(__package__) / BUILT / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _without(overview: Overview, sentence: str) -> str:
    """The page without a script: a sentence, the notes and the main table."""
    remarks = [f"{one.task}: {one.reason}" for one in (*overview.left_out, *overview.skipped)]
    lines = "".join(f"<li>{escape(one)}</li>" for one in (*remarks, *overview.notes))
    return (
        f"<main><h1>{escape(overview.title)}</h1><p>{escape(sentence)}</p><ul>{lines}</ul>"
        f"{_table(overview.main, overview.caption)}"
        f"<p>dxjudge {escape(overview.version)}, signature {escape(overview.id)}.</p></main>"
    )


def _table(main: MainTable, caption: str) -> str:
    head = "".join(f"<th scope=col>{escape(one)}</th>"
                   for one in ("Judge", "Model", *(c.title for c in main.columns)))  # fmt: skip
    body = "".join(
        f"<tr><td>{escape(row.judge_short)}</td><th scope=row>{escape(row.model)}</th>"
        + "".join(f"<td>{escape(c.text) if c else '-'}</td>" for c in row.cells)
        + "</tr>"
        for row in main.rows
    )
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )
