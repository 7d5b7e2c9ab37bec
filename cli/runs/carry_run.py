"""Run `dxjudge table carry`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...errors import InputError, UsageError
from ...files.bytes import check_writable
from ...files.forms import table_format
from ...files.rows_out import write_columns
from ...ontology.exchange.carry import Carried, carried_columns, carry_row
from ...ontology.exchange.equivalences import read_equivalences
from ...ontology.table_file import read_cells, write_cells
from ...ontology.table_row import COLUMNS
from ...ontology.tree import load_tree
from ..exit_codes import SOME_FAILED
from ..terminal.facts import Fact, named, tell


def carry_table(
    path: Path,
    output: Path,
    to: str,
    old: str | None,
    equivalences: Path | None,
    changes: str | None,
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    """Write the table for another release; return 3 where rows need a new decision, else 0.

    Raises UsageError where the output is the table itself, and InputError for a table without the
    columns `text` and `code`.
    """
    if output.resolve() == path.resolve():
        raise UsageError("the output must be another file than the table")
    form = table_format(changes, "changes") if changes else None
    if changes and Path(changes).resolve() in (path.resolve(), output.resolve()):
        raise UsageError("--changes must be another file than the tables")
    if output.exists():
        raise UsageError(f"{output} exists already: remove it, or name another file")
    check_writable(output)
    sheet = read_cells(path)
    if sheet is None:
        raise InputError(f"{path} is empty, or there is no such file")
    folded = [name.strip().lower() for name in sheet.columns]
    columns = [
        ours if ours in COLUMNS else own for ours, own in zip(folded, sheet.columns, strict=True)
    ]
    if missing := {"text", "code"} - set(columns):
        raise InputError(f"{path} needs a column {min(missing)!r}; it has {', '.join(columns)}")
    before = load_tree(old) if old else None
    after = load_tree(to)
    equivalents = read_equivalences(equivalences) if equivalences else None
    carried = [
        carry_row(dict(zip(columns, row, strict=True)), after, before, equivalents)
        for row in sheet.rows
    ]
    wider = carried_columns(columns)
    rows = [[row.cells.get(name, "") for name in wider] for row in carried]
    write_cells(output, wider, rows, sheet.style)
    changed = [row for row in carried if row.fate != "kept"]
    if changes and form:
        write_columns(changes, form, _columns(changed))
    asked = sum(row.needs_review for row in carried)
    counts = Counter[str](row.fate for row in carried)
    told = _told(counts, asked, [("table", output), *([("changes", changes)] if changes else [])])
    tell(told, as_json=as_json, quiet=quiet)
    return SOME_FAILED if asked else 0


def _told(counts: Counter[str], asked: int, files: Sequence[tuple[str, object]]) -> Iterator[Fact]:
    fates = ", ".join(f"{count:,} {fate}" for fate, count in counts.most_common())
    yield Fact(f"{fates}: {files[0][1]}", {"rows": counts.total(), "fates": counts})
    needing = "1 row needs" if asked == 1 else f"{asked:,} rows need"
    sentence = f"{needing} a new decision; the column note says why" if asked else ""
    yield Fact(sentence, {"need_a_decision": asked}, always=True)
    yield from (one._replace(line="") for one in named(files))


def _columns(changed: list[Carried]) -> dict[str, list[object]]:
    return {
        "text": [row.cells["text"] for row in changed],
        "old_code": [row.old for row in changed],
        "fate": [row.fate for row in changed],
        "code": [row.cells["code"] or None for row in changed],
        "why": [row.why for row in changed],
    }
