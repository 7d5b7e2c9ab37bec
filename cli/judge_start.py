"""From the options of `dxjudge judge` to one judge or a jury."""

from collections.abc import Mapping
from typing import Any

from ..errors import UsageError
from ..files.forms import Form
from .judge_run import Request, run_judge

_ROWS = ("step", "input", "output", "output_format", "repeat", "journal")
_FORM = ("input_format", "delimiter", "encoding", "sheet")
_MODEL = ("temperature", "max_tokens", "seed")
_JURY = ("repeats", "rule", "quorum", "weights", "escalate", "votes", "case")
_SIGNS = ("rule", "variants", "quorum", "replacement", "escalate", "human", "weights", "votes",
          "under_test")  # fmt: skip


def start(options: Mapping[str, Any]) -> int:
    """Run the command; options: every parameter of `judge_rows` by name. Returns the exit code.

    Several judges, or an option that only a jury has, make a jury.
    """
    judges = tuple(options["judge"] or ())
    jury = len(judges) > 1 or options["repeats"] > 1 or any(options[name] for name in _SIGNS)
    rows = Request(
        **{name: options[name] for name in _ROWS},
        form=Form(*(options[name] for name in _FORM)),
        fields=tuple(options["fields"] or ()),
        given=tuple(options["given"] or ()),
        added=options["added_sources"],
        engine=options["engine"] or ("llm" if jury else "auto"),
    )
    model = {name: options[name] for name in _MODEL}
    limits = {name: options[name] for name in ("max_calls", "max_cost", "concurrency", "cache")}
    settings = {**limits, "mode": options["cache_mode"]}
    if jury:
        return _start_jury(rows, judges, options, model, settings)
    if options["case"] is not None:
        raise UsageError("--case is for a jury: give several judges, or --votes FILE")
    judge = judges[0] if judges else None
    return run_judge(rows, judge, model, settings, quiet=options["quiet"])


def _start_jury(
    rows: Request,
    judges: tuple[str, ...],
    options: Mapping[str, Any],
    model: dict[str, Any],
    settings: dict[str, Any],
) -> int:
    from .jury_run import JuryRequest, run_jury_rows

    if rows.engine not in ("llm", "auto"):
        raise UsageError(f"on a jury write --judge {rows.engine}; --engine is llm or auto")
    if rows.repeat:
        raise UsageError("--repeat is for one judge; a jury takes --repeats, how many samples")
    wordings = (options["variants"] or "").split(",")
    request = JuryRequest(
        rows,
        judges=judges,
        humans=tuple(options["human"] or ()),
        replacements=tuple(options["replacement"] or ()),
        variants=tuple(name.strip() for name in wordings if name.strip()),
        under_test=tuple(options["under_test"] or ()),
        **{name: options[name] for name in _JURY},
    )
    return run_jury_rows(request, model, settings, quiet=options["quiet"])
