"""`dxjudge review`: review the mappings of a canonical table in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from ..command import grouped
from ..searching_options import SearchingOptions
from .options import PagesOptions

_REVIEW, _EARLIER = "Reviewers", "A table of an earlier release"

Table = Annotated[
    Path, typer.Argument(metavar="TABLE", help="A canonical table, as dxjudge map --table writes.")
]
Reviewer = Annotated[
    str,
    typer.Option(help="Your name. Without it, the page asks.", rich_help_panel=_REVIEW),
]
Share = Annotated[
    str | None,
    typer.Option(
        metavar="N/OF",
        help="Review a random share of the rows: 1/3, 2/3 and 3/3 are three reviewers' shares.",
        rich_help_panel=_REVIEW,
    ),
]
Seed = Annotated[
    int, typer.Option(help="Of the shares: the same for all reviewers.", rich_help_panel=_REVIEW)
]
Blind = Annotated[
    bool,
    typer.Option(
        "--blind",
        help="Review without seeing what others decided. Several reviewers take the same rows; "
        "without --blind the page then shows their agreement and settles differences.",
        rich_help_panel=_REVIEW,
    ),
]
Earlier = Annotated[
    Path | None,
    typer.Option(
        help="The table before dxjudge table carry: the page shows what became of each code.",
        rich_help_panel=_EARLIER,
    ),
]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        help="The release of the earlier table, such as icd10cm@FOLDER, where it is at hand.",
        rich_help_panel=_EARLIER,
    ),
]
Equivalences = Annotated[
    Path | None,
    typer.Option(
        help="The file of equivalences with which the table was carried.",
        rich_help_panel=_EARLIER,
    ),
]


@grouped
def review(
    table: Table,
    *,
    reviewer: Reviewer = "",
    share: Share = None,
    seed: Seed = 0,
    blind: Blind = False,
    earlier: Earlier = None,
    old: From = None,
    equivalences: Equivalences = None,
    searching: SearchingOptions,
    pages: PagesOptions,
) -> None:
    """Review the mappings of a table in the browser, the most frequent and least sure first.

    Every decision is saved in the table at once, and recorded with its reviewer
    in a file beside it (codes.reviews.csv for codes.tsv). Several people and
    programs may write the table at the same time.

    Examples:
      dxjudge map diagnoses.csv -o mapped.csv --table reviewed.tsv
      dxjudge review reviewed.tsv
      dxjudge review reviewed.tsv --reviewer Ana --share 1/3
      dxjudge review reviewed.tsv --reviewer Ana --blind
    """
    from ...web.local import Job
    from ...web.reviewing.api import make_review_api
    from ...web.reviewing.opened import Opening, open_review

    opened = open_review(
        Opening(
            table=table,
            reviewer=reviewer.strip(),
            share=share,
            seed=seed,
            blind=blind,
            earlier=earlier,
            old=old,
            equivalences=equivalences,
            **searching.settings,
        )
    )
    opened.finder.start()
    api = make_review_api(opened.session, opened.finder)
    pages.serve(Job(job="review", title=f"Review {table.name}"), api)
