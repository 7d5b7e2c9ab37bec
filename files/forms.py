"""The forms of a table: their names, their suffixes, and how a user asks for one."""

from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, get_args

from ..errors import MissingExtra, UsageError

InputFormat = Literal["csv", "tsv", "json", "jsonl", "parquet", "xlsx", "txt"]
OutputFormat = Literal[
    "csv", "tsv", "json", "jsonl", "parquet", "xlsx", "sssom", "fhir", "fhir-r5", "omop", "usagi"
]

FORMS_IN = "CSV, TSV, JSON, JSON Lines, Parquet, Excel or a plain list (.txt), also gzipped"
FORMS_OUT = ".csv, .tsv, .json, .jsonl, .parquet or .xlsx, and .gz after it"
"""The texts about table forms in the help of every command."""

SUFFIXES: dict[str, InputFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".txt": "txt",
    ".list": "txt",
}
MAPPING_SUFFIXES: dict[str, OutputFormat] = {
    ".sssom.tsv": "sssom",
    ".fhir.json": "fhir",
    ".fhir-r5.json": "fhir-r5",
    ".omop.csv": "omop",
    ".usagi.csv": "usagi",
}
"""The suffixes of the forms that hold mappings of texts to codes, and no other columns."""

MAPPING_FORMS = frozenset(MAPPING_SUFFIXES.values())

# A list holds only one column; a workbook with macros would lose them.
_READ_ONLY = {".txt", ".list", ".xlsm"}
_EXTRAS = {"parquet": ("parquet", "pyarrow"), "xlsx": ("excel", "openpyxl")}  # and their modules
_DELIMITER_NAMES = {
    "tab": "\t",
    "\\t": "\t",
    "comma": ",",
    "semicolon": ";",
    "pipe": "|",
    "space": " ",
}


@dataclass(frozen=True)
class Form:
    """The form of a table, as far as the user names it.

    format: one of `InputFormat`. delimiter: one character, or its name (tab, comma, semicolon,
    pipe, space). encoding: a name that Python knows. sheet: the sheet of an Excel file.

    Raises UsageError for a format that does not exist and a delimiter that cannot be one.
    """

    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None

    def __post_init__(self) -> None:
        known = get_args(InputFormat)
        if self.format is not None and self.format not in known:
            raise UsageError(f"--input-format {self.format!r} is not one of {', '.join(known)}")
        if self.delimiter is None:
            return
        mark = _DELIMITER_NAMES.get(self.delimiter.lower(), self.delimiter)
        if len(mark) != 1 or mark in '"\r\n':
            raise UsageError(
                f"--delimiter {self.delimiter!r} is not one character, tab, comma, semicolon, "
                "pipe or space"
            )
        object.__setattr__(self, "delimiter", mark)

    def kind_of(self, path: str) -> InputFormat | None:
        """Return the format that the user names, else that of the suffix, else None."""
        named = (name for name in get_args(InputFormat) if name == self.format)
        return next(named, None) or format_of(path)

    def fitting(self, path: str) -> "Form":
        """Return this form without the options that do not apply to a file of this name.

        Commands that read several files with one form need this.
        """
        kind = self.kind_of(path)
        delimited, spreadsheet = kind in ("csv", "tsv", None), kind in ("xlsx", None)
        return replace(
            self,
            delimiter=self.delimiter if delimited else None,
            sheet=self.sheet if spreadsheet else None,
        )


def format_of(path: str) -> InputFormat | None:
    """Return the format of the suffix, also before .gz; None for an unknown suffix."""
    name = path.lower().removesuffix(".gz")
    return SUFFIXES.get(Path(name).suffix)


def output_format(output: str, wanted: str | None, sheet_format: str) -> OutputFormat:
    """Return the format wanted, else that of the suffix; for standard output, the input's.

    A plain list, which holds only one column, is written as CSV.

    Raises UsageError for an unknown format or suffix, and MissingExtra for a format whose package
    is not installed: before the work of the command, not after it.
    """
    format = _output_format(output, wanted, sheet_format)
    extra, module = _EXTRAS.get(format, ("", ""))
    if module and find_spec(module) is None:
        raise MissingExtra(f"the output format {format}", extra)
    return format


def _output_format(output: str, wanted: str | None, sheet_format: str) -> OutputFormat:
    formats = get_args(OutputFormat)
    if wanted is not None:
        if wanted not in formats:
            raise UsageError(f"--output-format {wanted!r} is not one of {', '.join(formats)}")
        return next(name for name in formats if name == wanted)
    if output == "-":
        return next((name for name in formats if name == sheet_format), "csv")
    name = output.lower().removesuffix(".gz")
    if (of_mappings := mapping_form(name)) is not None:
        return of_mappings
    suffix = Path(name).suffix
    if suffix not in SUFFIXES or suffix in _READ_ONLY:
        known = ", ".join(sorted(SUFFIXES.keys() - _READ_ONLY))
        raise UsageError(
            f"what format is {output}? end its name with one of {known}, "
            f"{', '.join(MAPPING_SUFFIXES)}, or add --output-format"
        )
    return next(name for name in formats if name == SUFFIXES[suffix])


def mapping_form(path: str) -> OutputFormat | None:
    """Return the form of mappings that the suffix names, or None."""
    name = path.lower().removesuffix(".gz")
    return next((form for end, form in MAPPING_SUFFIXES.items() if name.endswith(end)), None)


def table_format(output: str, what: str = "verdicts") -> OutputFormat:
    """Return the format of a path's suffix; raise UsageError for a form that only mappings have."""
    format = output_format(output, None, "csv")
    refuse_mapping_form(format, what)
    return format


def refuse_mapping_form(format: OutputFormat, what: str) -> None:
    """Raise UsageError for a form that only mappings have; `what` names the rows in words."""
    if format in MAPPING_FORMS:
        raise UsageError(f"{what} have no form {format!r}; write {FORMS_OUT}")
