"""Run the commands of `dxjudge table`."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ...errors import InputError, UsageError
from ...files.bytes import check_writable, writing_to
from ...files.counted import counted
from ...files.forms import (
    MAPPING_FORMS,
    MAPPING_SUFFIXES,
    output_format,
    refuse_mapping_form,
)
from ...files.rows_out import write_columns
from ...ontology.exchange.concepts import Concepts, read_concepts
from ...ontology.exchange.curated import Curated, read_concept_map, read_curated_sssom
from ...ontology.exchange.differences import Difference, differences
from ...ontology.exchange.mapped_text import MappedText, mapped_text
from ...ontology.exchange.usagi import read_usagi
from ...ontology.exchange.write import check_concepts, write_mappings
from ...ontology.table import CanonicalTable, codes_of, read_table, write_table
from ...ontology.table_row import Entry, text_key
from ...ontology.tree import Tree, load_tree
from ..exit_codes import SOME_FAILED
from ..terminal.facts import Fact, check_output, tell

_SHOWN = 20  # differences that are printed, and conflicts that an error names


def export(
    path: Path,
    output: str,
    wanted: str | None,
    folder: Path | None,
    ontology: str,
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    """Write the mappings of a table; return the exit code, 3 where texts that failed are left out.

    Raises UsageError for a form that does not hold mappings.
    """
    check_output(output, as_json=as_json)
    if output == "-" and wanted is None:
        raise UsageError(f"name the form: --output-format {', '.join(sorted(MAPPING_FORMS))}")
    form = output_format(output, wanted, "csv")
    if form not in MAPPING_FORMS:
        raise UsageError(
            f"a table is exported as mappings: {', '.join(MAPPING_SUFFIXES)}; the table itself is "
            "TSV, CSV or Excel already"
        )
    check_concepts(form, folder)
    tree = load_tree(ontology)
    table = _existing(path, tree)
    if output != "-":
        check_writable(Path(output))
    concepts = read_concepts(folder, tree) if folder else None
    texts = [_text(entry, table) for entry in table.entries.values()]
    with writing_to(output) as file:
        write_mappings(file, form, texts, tree, concepts)
    failed = sum(text.mapping.status == "failed" for text in texts)
    tell(_exported(path, output, texts, concepts, failed), as_json=as_json, quiet=quiet)
    return SOME_FAILED if failed else 0


def _exported(
    path: Path, output: str, texts: list[MappedText], concepts: Concepts | None, failed: int
) -> Iterator[Fact]:
    written, reviewed = len(texts) - failed, sum(text.reviewed for text in texts)
    yield Fact(
        f"{counted(written, 'text')}, {reviewed:,} of them reviewed: {output}",
        {"texts": written, "reviewed": reviewed, "left_out": failed, "files": _file(output)},
    )
    if concepts:
        codes = {text.mapping.code for text in texts if text.mapping.code}
        without = sorted(code for code in codes if not concepts.of(code))
        sentence = f"{len(without):,} codes have no concept and get the concept 0: "
        yield Fact(
            sentence + _listed(without) if without else "", {"codes_without_a_concept": without}
        )
    if failed:
        left = f"left out: {counted(failed, 'text')} that failed; map them again with --table "
        yield Fact(f"{left}{path}", {}, always=True)


def _file(output: str | Path) -> list[dict[str, str]]:
    return [{"what": "written", "path": str(output)}]


def _text(entry: Entry, table: CanonicalTable) -> MappedText:
    settled = table.settled(entry.mapping.text, "") if entry.reviewed else None
    return mapped_text(settled or entry.mapping, entry, entry.rows)


def import_file(
    input: Path,
    output: Path,
    folder: Path | None,
    ontology: str,
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    """Merge the reviewed mappings of a file of another tool into a table; return the exit code.

    The exit code is 3 where a reviewed row of the table has another code, which stays. Raises
    InputError, which names the texts, where the file has two codes for a text.
    """
    tree = load_tree(ontology)
    check_writable(output)
    entries, passed_over = _read(input, tree, folder)
    _check_one_code(entries, input)
    table = read_table(output, tree)
    kept = [
        f"{entry.mapping.text!r} stays {codes_of(old)}, not {codes_of(entry)}"
        for entry in entries
        if (old := table.entries.get(text_key(entry.mapping.text)))
        and old.reviewed
        and not entry.mapping.has_codes_of(old.mapping)
    ]
    write_table(table.merged(entries), output, tree)
    told = _imported(input, output, len(entries), passed_over, kept)
    tell(told, as_json=as_json, quiet=quiet)
    return SOME_FAILED if kept else 0


def _imported(
    input: Path, output: Path, texts: int, passed_over: int, kept: list[str]
) -> Iterator[Fact]:
    rest = f"; {counted(passed_over, 'row')} that no person decided passed over" * bool(passed_over)
    yield Fact(
        f"{counted(texts, 'reviewed text')} of {input}{rest}: {output}",
        {"texts": texts, "passed_over": passed_over, "kept": kept, "files": _file(output)},
    )
    if kept:
        sentence = f"{len(kept):,} texts are reviewed in {output} with another code: "
        yield Fact(sentence + _listed(kept), {}, always=True)


def _check_one_code(entries: list[Entry], input: Path) -> None:
    first: dict[str, Entry] = {}
    conflicts = [
        f"{entry.mapping.text!r}: {codes_of(other)} and {codes_of(entry)}"
        for entry in entries
        if (other := first.setdefault(text_key(entry.mapping.text), entry))
        and not entry.mapping.has_codes_of(other.mapping)
    ]
    if conflicts:
        raise InputError(f"{input} has several codes for a text: {_listed(conflicts)}")


def _read(input: Path, tree: Tree, folder: Path | None) -> Curated:
    name = input.name.lower()
    if folder and not name.endswith(".usagi.csv"):
        raise UsageError("--concepts has no effect: only a file of Usagi holds concepts")
    if name.endswith(".usagi.csv"):
        return read_usagi(input, tree, read_concepts(folder, tree) if folder else None)
    if name.endswith(".sssom.tsv"):
        return read_curated_sssom(input, tree)
    if name.endswith(".json"):
        return read_concept_map(input, tree)
    raise UsageError(f"what is {input}? end its name with .usagi.csv, .sssom.tsv or .fhir.json")


def compare(
    first: Path,
    second: Path,
    output: str,
    wanted: str | None,
    ontology: str,
    second_ontology: str,
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    """Write the differences of two tables; return the exit code 0, also where they differ."""
    form = output_format(output, wanted, "csv")
    refuse_mapping_form(form, "differences")
    if output != "-":
        if Path(output).resolve() in (first.resolve(), second.resolve()):
            raise UsageError("the output must be another file than the tables")
        check_writable(Path(output))
    tree = load_tree(ontology)
    later = tree if second_ontology == ontology else load_tree(second_ontology)
    one, other = _existing(first, tree), _existing(second, later)
    moved = differences(one, other, tree, later)
    columns = _columns(moved)
    texts = len(one.entries.keys() | other.entries.keys())
    counts = Counter(difference.change for difference in moved)
    if output != "-" or not as_json:
        write_columns(output, form, columns)
    rows = sum(difference.rows for difference in moved)
    named = ", ".join(f"{count:,} {change}" for change, count in counts.most_common())
    in_rows = f" ({rows:,} rows)" if rows else ""
    differ = f"{len(moved):,} of {texts:,} texts differ{in_rows}{': ' if named else ''}{named}"
    of_rows = [
        dict(zip(columns, line, strict=True)) for line in zip(*columns.values(), strict=True)
    ]
    fact = Fact(differ, {"texts": texts, "changes": counts, "differences": of_rows})
    tell([fact], as_json=as_json, quiet=quiet)
    return 0


def _columns(moved: list[Difference]) -> dict[str, list[object]]:
    def mapped(entry: Entry | None, name: str) -> object:
        return getattr(entry.mapping, name) if entry else None

    return {
        "text": [difference.text for difference in moved],
        "rows": [difference.rows or None for difference in moved],
        "change": [difference.change for difference in moved],
        "first_code": [mapped(difference.first, "code") for difference in moved],
        "second_code": [mapped(difference.second, "code") for difference in moved],
        "first_name": [mapped(difference.first, "name") for difference in moved],
        "second_name": [mapped(difference.second, "name") for difference in moved],
        "same_level": [difference.same or None for difference in moved],
        "why": ["; ".join(difference.why) or None for difference in moved],
    }


def merge_tables(
    paths: list[Path], output: Path, ontology: str, *, as_json: bool, quiet: bool
) -> int:
    """Write one table with the rows of several; return the exit code.

    Raises UsageError for fewer than two tables and InputError, which names the texts, where two
    tables are reviewed with different codes.
    """
    if len(paths) < 2:
        raise UsageError("name at least two tables to merge")
    if output.resolve() in [path.resolve() for path in paths]:
        raise UsageError("the output must be another file than the tables")
    check_writable(output)
    tree = load_tree(ontology)
    merged = CanonicalTable()
    conflicts: list[str] = []
    for path in paths:
        table = _existing(path, tree)
        conflicts += [
            f"{entry.mapping.text!r}: {codes_of(old)} and, in {path}, {codes_of(entry)}"
            for key, entry in table.entries.items()
            if entry.reviewed
            and (old := merged.entries.get(key))
            and old.reviewed
            and not entry.mapping.has_codes_of(old.mapping)
        ]
        merged = merged.merged(table.entries.values()).with_columns_of(table)
    if conflicts:
        raise InputError(f"reviewers disagree on {len(conflicts):,} texts: {_listed(conflicts)}")
    if output.exists():
        raise UsageError(f"{output} exists already: remove it, or name another file")
    write_table(merged, output, tree)
    texts, reviewed = len(merged.entries), sum(one.reviewed for one in merged.entries.values())
    fact = Fact(
        f"{counted(texts, 'text')} of {len(paths)} tables: {output}",
        {"texts": texts, "reviewed": reviewed, "tables": len(paths), "files": _file(output)},
    )
    tell([fact], as_json=as_json, quiet=quiet)
    return 0


def _existing(path: Path, tree: Tree) -> CanonicalTable:
    if not path.exists():
        raise InputError(f"{path}: there is no such file")
    return read_table(path, tree)


def _listed(items: list[str]) -> str:
    rest = len(items) - _SHOWN
    return "; ".join([*items[:_SHOWN], *([f"and {rest:,} more"] if rest > 0 else [])])
