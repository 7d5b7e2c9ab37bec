"""`dxjudge search`: show the candidate codes of one diagnosis, and why they match."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .command import grouped
from .options import AsJson, Chroma, Encoder, Rebuild
from .searching_options import SearchingOptions
from .sources_command import say_added
from .terminal.printing import print_json, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ontology.mapping import Candidate, Mapping


@grouped
def search(
    *,
    text: Annotated[str, typer.Argument(help="A diagnosis in your own words.")],
    top_k: Annotated[
        int, typer.Option("--top-k", "-k", min=1, max=100, help="How many candidates to show.")
    ] = 15,
    searching: SearchingOptions,
    encoder: Encoder = "default",
    chroma: Chroma = None,
    rebuild_index: Rebuild = False,
    as_json: AsJson = False,
) -> None:
    """Search the codes of one diagnosis; show the candidates and why they match.

    In: the text of a diagnosis. Out: a table of the candidates, the best one
    first, with score, score of the category, code, name, source and reason.
    Where `dxjudge map` would give the text no code, standard error says why.

    Examples:
      dxjudge search "heart attack"
      dxjudge search "NSTEMI / STEMI" -k 5 --json
    """
    from ..ontology.mapping import Mapping
    from ..ontology.reading.no_diagnosis import why_not_a_diagnosis

    may_be_code = any(char.isdigit() for char in text)
    if not may_be_code and (refusal := why_not_a_diagnosis(text)):
        mapping = Mapping(text, "unmapped", reason=refusal)
    else:
        settings = {
            **searching.settings,
            "model": encoder,
            "top_k": top_k,
            "chroma": chroma,
            "rebuild": rebuild_index,
        }
        mapping = _map(text, settings)
    candidates = mapping.candidates
    if as_json:
        print_json({**mapping.as_json(), "candidates": candidates})
    elif candidates:
        _print_table(candidates)
    else:
        typer.echo(f"no candidates: {mapping.reason}")
    if candidates and mapping.code is None:
        typer.echo(f"dxjudge map leaves this text without a code: {mapping.reason}", err=True)


def _map(text: str, settings: dict[str, Any]) -> "Mapping":
    from ..errors import UsageError
    from ..graphs.chooser import is_judge
    from ..graphs.mapper import Mapper
    from .terminal.progress import stages

    if is_judge(settings["model"]):
        raise UsageError(
            f"--encoder {settings['model']} is a model that writes text; search takes an embedding "
            "model"
        )

    with stages(quiet=False) as progress:
        mapper = Mapper(**settings, progress=progress)
        say_added(mapper.added)
        return mapper.map(text)


def _print_table(candidates: "Sequence[Candidate]") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for title in ("", "score", "category"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("code", no_wrap=True)
    table.add_column("name", ratio=2, overflow="fold")
    table.add_column("source", overflow="fold")
    table.add_column("why", ratio=3, overflow="fold")
    for rank, candidate in enumerate(candidates, 1):
        scores = (f"{candidate.score:.2f}", f"{candidate.category_score:.2f}")
        texts = (candidate.code, candidate.name, candidate.source, candidate.why)
        table.add_row(*map(Text, (str(rank), *scores, *texts)))
    Console(width=width()).print(table)
