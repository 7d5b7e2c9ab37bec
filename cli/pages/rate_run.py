"""Run `dxjudge rate`: read the items, serve the pages, write the votes, say what was skipped."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError
from ...evaluation.people.from_run import run_to_rate
from ...evaluation.people.from_table import Reading, read_to_rate
from ...evaluation.people.kept import Kept
from ...evaluation.people.rating import Rating, open_rating
from ...evaluation.people.sample import Design
from ...evaluation.people.to_rate import Found
from ...evaluation.records import RATINGS
from ...files.bytes import check_writable
from ...files.counted import counted
from ...files.forms import table_format
from ...web.local import Job
from ...web.rating import Writer, make_rating_api
from ..runs.estimates import in_json
from ..runs.step_rows import say
from ..terminal.facts import Fact, tell
from .options import PagesOptions

_MOST_LINES = 5
_ENDS = ("verdict", "none", "cannot tell", "skipped")  # of an answer


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    source: str
    reading: Reading
    tasks: tuple[str, ...]
    output: Path | None
    rater: str
    design: Design
    seed: int | None
    pages: PagesOptions


def run_rate(request: Request, *, as_json: bool = False) -> None:
    """Run the command until the user ends it. Everything is checked before a page is served."""
    output = request.output or _output(request.source)
    table_format(str(output), "votes")
    check_writable(output)
    found = _read(request)
    kept = Kept(Path(f"{output}.answers.jsonl"))
    try:
        rating = open_rating(found, kept, output, design=request.design, seed=request.seed)
        rater = rating.rater(request.rater) if request.rater else ""
        opening = list(_opening(found, rating, output))
        tell(opening, as_json=False)
        rating.write()
        try:
            _serve(request, rating, rater)
        finally:
            votes = rating.write()
        ending = _ending(request.source, rating, output, votes)
        tell([*opening, *ending] if as_json else ending, as_json=as_json)
    finally:
        kept.close()


def _serve(request: Request, rating: Rating, rater: str) -> None:
    with Writer(rating.write, lambda fault: say(f"dxjudge: warning: {fault}")) as writer:
        api = make_rating_api(rating, rater=rater, changed=writer.changed)
        # The title is on the page, so it holds no name of a file: that may name a model.
        request.pages.serve(Job(job="rate", title="Your verdicts"), api)


def _output(source: str) -> Path:
    path = Path(source)
    if source == "-":
        raise UsageError("the pages need the terminal: name a file, not standard input")
    if path.is_dir():
        return path / RATINGS
    return path.with_name(f"{path.name.partition('.')[0]}-ratings.csv")


def _read(request: Request) -> Found:
    path = Path(request.source)
    if not path.is_dir():
        if request.tasks:
            raise UsageError("--task is for the folder of an evaluation; a table has --step")
        return read_to_rate(request.source, request.reading)
    if request.reading != Reading(form=request.reading.form):
        raise UsageError("--step, --set, --give and --case are for tables; a folder has --task")
    return run_to_rate(path, request.tasks)


def _opening(found: Found, rating: Rating, output: Path) -> Iterator[Fact]:
    drawn, every = len(rating.items), counted(len(found.items), "item")
    steps = ", ".join(dict.fromkeys(one.name for one in rating.items))
    shown = every if drawn == len(found.items) else f"{drawn:,} of {every}"
    yield Fact(f"dxjudge: {shown} of {steps}", {"items": len(found.items), "drawn": drawn})
    if found.left_out:
        lines = [f"dxjudge: {counted(len(found.left_out), 'row')} cannot be rated:"]
        lines += [f"  {line}" for line in found.left_out[:_MOST_LINES]]
        if len(found.left_out) > _MOST_LINES:
            lines.append(f"  and {len(found.left_out) - _MOST_LINES:,} more")
        yield Fact("\n".join(lines), {"cannot_be_rated": list(found.left_out)})
    naming = rating.naming()
    if naming:
        yield Fact(
            f"dxjudge: warning: the texts of {counted(naming, 'item')} hold the name of a model or "
            "a judge, which people will read",
            {"items_with_names": naming},
        )
    files = {"votes": output, "answers": rating.kept.path}
    yield Fact(
        f"dxjudge: votes: {output}; answers: {rating.kept.path}",
        {"files": [{"what": what, "path": str(path)} for what, path in files.items()]},
    )


def _ending(source: str, rating: Rating, output: Path, votes: int) -> Iterator[Fact]:
    for rater in rating.kept.raters:
        ended, skipped = rating.ended(rater), rating.skipped(rater)
        done = counted(ended["verdict"], "verdict")
        rest = ", ".join(f"{ended[name]} {name}" for name in _ENDS[1:])
        more = f"{', '.join(skipped[:20])}{', ...' if len(skipped) > 20 else ''}"
        yield Fact(
            f"dxjudge: {rater}: {done}, {rest}{f' (no vote: {more})' if skipped else ''}",
            {
                "raters": [
                    {
                        "rater": rater,
                        **{in_json(name): ended[name] for name in _ENDS},
                        "no_vote": skipped,
                    }
                ]
            },
        )
    if votes:
        judges = source if Path(source).is_dir() else "VOTES-OF-JUDGES"
        name = rating.kept.raters[0]
        human = name if name.isidentifier() else f"'{name}'"
        yield Fact(
            f"dxjudge: {votes:,} votes in {output}; compare them with judges:\n"
            f"  dxjudge agree {judges} {output} --human {human}",
            {"votes": votes},
        )
