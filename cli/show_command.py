"""`dxjudge show`: show a code in its tree."""

import re
import shlex
from typing import Annotated

import typer

from ..errors import UnknownCode, UsageError
from ..ontology.described import describe
from ..ontology.releases.listed import DEFAULT
from ..ontology.tree import Node, Tree, load_tree
from .options import AsJson, Ontology
from .terminal.printing import print_json

_NOTES = {
    "includes": "Includes",
    "inclusion": "Inclusion terms",
    "excludes1": "Never together with (excludes 1)",
    "excludes2": "Not included here (excludes 2)",
    "code_first": "Code first",
    "use_additional_code": "Use an additional code",
    "code_also": "Code also",
    "notes": "Notes",
}
_MOST_CHILDREN = 30


def show(
    code: Annotated[
        str, typer.Argument(help="A code, a block or a chapter: J44.9, j449, A15-A19, X.")
    ],
    ontology: Ontology = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Show a code in its tree: what is above it, what it means, what is below it.

    In: a code, a block or a chapter. Out: its ancestors, its name, its terms
    and notes, whether it is billable, and the codes below it.

    Examples:
      dxjudge show J44.9
      dxjudge show a15-a19 --json
    """
    tree = load_tree(ontology)
    try:
        node = tree.node(code)
    except UnknownCode as fault:
        if re.search(r"\d", code):
            raise
        hint = f"find codes by words: dxjudge search {shlex.quote(code)}"
        raise UsageError(f"{fault}; {hint}") from fault
    if as_json:
        print_json(describe(tree, node))
    else:
        typer.echo(_page(tree, node))


def _page(tree: Tree, node: Node) -> str:
    line = (*reversed(tree.ancestors(node)), node)
    width = max(len(step.code) for step in line)
    lines = [
        f"{step.kind:<12}{step.code:<{width}}  {'  ' * depth}{tree.name(step)}"
        for depth, step in enumerate(line)
    ]
    billable = "yes" if tree.is_billable(node) else "no"
    lines += ["", f"billable: {billable} · {tree.release}, {tree.version}"]
    for kind, title in _NOTES.items():
        notes = tree.notes(node).get(kind, ())
        lines += ["", f"{title}:", *(f"  {note}" for note in notes)] if notes else []
    children = tree.children(node)
    if children:
        shown = children[:_MOST_CHILDREN]
        lines += ["", "Below:", *(f"  {child.code:<{8}} {tree.name(child)}" for child in shown)]
    if len(children) > _MOST_CHILDREN:
        lines.append(f"  … and {len(children) - _MOST_CHILDREN} more (--json lists all)")
    return "\n".join(lines)
