"""The options of `dxjudge answer`: the cases, the models, and what they are asked."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..files.forms import FORMS_IN, FORMS_OUT
from ..files.forms import Form as FileForm
from .option_groups import BatchRunOptions, ModelOptions
from .options import (
    ROWS,
    AsJson,
    Conditions,
    Delimiter,
    Encoding,
    EstimateOnly,
    Evidences,
    JournalFile,
    Quiet,
    SheetName,
)

_ASKED = "What is asked"

Cases = Annotated[Path, typer.Argument(help=f"The table of cases: {FORMS_IN}.")]
Output = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        help=f"The file of responses to write: {FORMS_OUT}.",
        rich_help_panel=ROWS,
    ),
]
Models = Annotated[
    list[str],
    typer.Option(
        "--model",
        metavar="MODEL",
        help="The model under test: openai:gpt-4o, anthropic:MODEL, openai:MODEL@URL for a server "
        "of your own, or NAME=MODEL to name it in the results. May be repeated.",
        rich_help_panel=_ASKED,
    ),
]
FormName = Annotated[
    str,
    typer.Option(
        "--form",
        metavar="NAME",
        help="What is asked: hddx, dermcase, medsyn, medsyn-probabilities, mediconfusion, "
        "mediconfusion-free, mediconfusion-prefix, mediconfusion-greedy, medlesionvqa, or "
        "path/to/form.yaml.",
        rich_help_panel=_ASKED,
    ),
]
Samples = Annotated[
    int,
    typer.Option(
        min=1, help="How often each question is asked, as samples.", rich_help_panel=_ASKED
    ),
]
Variants = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,NAME",
        help="Further wordings of the prompt; each question is asked in each of them too.",
        rich_help_panel=_ASKED,
    ),
]
Withhold = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TYPE",
        help="A type of evidence: each case that has it is asked once more without it. May be "
        "repeated.",
        rich_help_panel=_ASKED,
    ),
]
PresentedAs = Annotated[
    list[str] | None,
    typer.Option(
        metavar="image|text",
        help="Show evidence that has both as its image alone, or as its text alone. Give it twice "
        "to ask with each. By default both are shown.",
        rich_help_panel=_ASKED,
    ),
]


@dataclass(frozen=True, kw_only=True)
class AnswerOptions:
    """The options of `dxjudge answer`."""

    cases: Cases
    output: Output
    model: Models
    form: FormName
    samples: Samples = 1
    variants: Variants = None
    withhold: Withhold = None
    presented_as: PresentedAs = None
    conditions: Conditions = None
    evidences: Evidences = None
    delimiter: Delimiter = None
    sheet: SheetName = None
    encoding: Encoding = None
    asked: ModelOptions
    estimate: EstimateOnly = False
    run: BatchRunOptions
    journal: JournalFile = None
    as_json: AsJson = False
    quiet: Quiet = False

    @property
    def file_form(self) -> FileForm:
        """The form of the table of cases, as far as options say it."""
        return FileForm(None, self.delimiter, self.encoding, self.sheet)

    @property
    def wordings(self) -> tuple[str, ...]:
        """The names of the further wordings."""
        return tuple(name.strip() for name in (self.variants or "").split(",") if name.strip())
