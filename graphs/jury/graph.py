"""Define the jury graph: several judges vote on one item, and a rule combines their votes.

    START ──> open ──> vote (a Send for each judge, repeat, wording) ──> tally ──> verdict ──> END
                        ^                                                  │
                        └── replacements of judges that failed, and with `escalate`
                            the judges after the second, if the first two differ

The input of the node `vote` contains the judge, so that a checkpoint or a node's cache never
mixes the votes of two judges. The graph keeps the live model objects.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, NotRequired, TypeAlias

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Overwrite, Send
from pydantic import BaseModel
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ...agents.engine.ask import ask
from ...agents.engine.conclude import failed_unasked
from ...agents.engine.run import Run
from ...agents.outcome import Outcome
from ...agents.step import Step
from ...errors import DxjudgeError, InputError, UsageError
from ...scoring.jury import JuryVerdict, combine
from ...scoring.votes import Vote
from ..node import Node
from ..verdicts import vote_step, votes_of
from .jurors import AnyJuror, Juror
from .plan import JuryPlan, plan_jury
from .result import JuryOutcome, value_of, write_jury
from .seats import Cast, Seat, held_seats, next_seats, seats_for

_KEEP = 1000  # attempts that a graph's own run keeps: it may serve for as long as a server lives


class JuryIn(TypedDict):
    """The input of the graph: the fields of the step's input, and the case's name for votes."""

    inputs: dict[str, Any]
    case: NotRequired[str]


class JuryOut(TypedDict):
    """The output of the graph: a `JuryOutcome` as plain JSON (see `read_jury`)."""

    jury: dict[str, Any]


class JuryState(JuryIn, JuryOut):
    """The state: input, output, and the votes that have been cast so far."""

    cast: Annotated[list[Cast], operator.add]


JuryGraph: TypeAlias = CompiledStateGraph[JuryState, None, JuryIn, JuryOut]


class SeatIn(JuryIn):
    """The input of the node `vote`."""

    seat: Seat


def jury_graph(
    step: Step[Any, Any] | str,
    judges: Iterable[AnyJuror],
    *,
    run: Run | None = None,
    **options: Any,
) -> JuryGraph:
    """Compile the graph: `{"inputs": {...}, "case": "7"}` in, `{"jury": {...}}` out, as JSON.

    Args:
        step: the step, or its name.
        judges: models (names, specs, LangChain chat models), stand-ins of the step ("rules"),
            people ("human:FILE", `HumanVotes`). Only `escalate` depends on the order.
        run: one run for all calls of the graph; by default a run with the user's cache.
        options: the options of `plan_jury`:
            repeats: how often each model is asked, as samples 0 to repeats - 1.
            variants: the wordings with which each model is asked; "" is the step's own.
            rule, quorum, weights: see `scoring.jury.combine`; weights are by judge name.
            replacements: judges that replace a judge that failed on an item, in this order;
                each replaces at most one judge for each item.
            escalate: ask the first two judges, and the others only if the first two differ or
                have no verdict.
            engine: "llm" asks every model; "auto" lets the step's stand-ins decide first; if a
                stand-in decides, all models have the same vote.
            under_test: names of the models whose texts are judged; a judge of the same family
                causes a warning.

    Returns:
        the compiled graph: `{"inputs": {...}, "case": "7"}` in, `{"jury": {...}}` out.

    Raises:
        UsageError: see `plan_jury`.
        InputError: a file of votes cannot be read.
    """
    return graph_of(plan_jury(step, judges, **options), run or Run(keep=_KEEP))


def jury_node(
    step: Step[Any, Any] | str,
    judges: Iterable[AnyJuror],
    *,
    read: Callable[[Any], BaseModel | Mapping[str, Any]] | None = None,
    case: Callable[[Any], str] | None = None,
    write: str = "",
    run: Run | None = None,
    **options: Any,
) -> Node:
    """Return a node for a StateGraph: it reads the step's input and writes a jury's outcome.

    Args:
        step: a step, its name, or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.
        judges: the judges, each as in `run_step`, or verdicts of people; see `jury_graph`.
        read: returns the input from the state; by default, the values of the state with the names
            of the input's fields.
        case: returns the case's name from the state, for the votes of people.
        write: the state's key for the outcome (plain JSON); by default, the step's name.
        run: the cache, limits and budget; by default a new run with the user's own cache.
        options: see `jury_graph`.

    Returns:
        a node for a StateGraph.
    """
    plan = plan_jury(step, judges, **options)
    graph = graph_of(plan, run or Run(keep=_KEEP))

    async def node(state: Any) -> dict[str, Any]:
        fields = state if isinstance(state, Mapping) else vars(state)
        names = plan.step.input.model_fields
        inputs = read(state) if read else {name: fields[name] for name in names if name in fields}
        plain = inputs.model_dump(mode="json") if isinstance(inputs, BaseModel) else dict(inputs)
        result = await graph.ainvoke({"inputs": plain, "case": case(state) if case else "1"})
        return {write or plan.step.name: result["jury"]}

    return Node(plan.step.name, node)


def graph_of(plan: JuryPlan, run: Run) -> JuryGraph:
    """Compile the graph of a plan."""

    async def vote(state: SeatIn) -> dict[str, list[Cast]]:
        return {"cast": [await _cast(plan, run, state)]}

    def open_jury(state: JuryState) -> dict[str, Any]:
        # With a checkpointer, the state of a thread still contains the votes on its last item.
        return {"cast": Overwrite([])}

    def begin(state: JuryState) -> list[Send]:
        return _sends(state, seats_for(plan, plan.first, 0))

    def tally(state: JuryState) -> dict[str, Any]:
        return {}

    def go_on(state: JuryState) -> list[Send] | str:
        return _sends(state, next_seats(plan, state["cast"])) or "verdict"

    def verdict(state: JuryState) -> dict[str, Any]:
        return {"jury": write_jury(conclude_jury(plan, state))}

    builder = StateGraph(JuryState, input_schema=JuryIn, output_schema=JuryOut)
    builder.add_node("open", open_jury)
    builder.add_node("vote", Node("vote", vote), input_schema=SeatIn)
    builder.add_node("tally", tally)
    builder.add_node("verdict", verdict)
    builder.add_edge(START, "open")
    builder.add_conditional_edges("open", begin, ["vote"])
    builder.add_edge("vote", "tally")
    builder.add_conditional_edges("tally", go_on, ["vote", "verdict"])
    builder.add_edge("verdict", END)
    rounds = 3 + len(plan.replacements)
    return builder.compile(name="jury").with_config({"recursion_limit": 10 + 2 * rounds})


def _sends(state: JuryState, seats: Sequence[Seat]) -> list[Send]:
    shared = {"inputs": state["inputs"], "case": state.get("case", "1")}
    return [Send("vote", {**shared, "seat": seat}) for seat in seats]


async def _cast(plan: JuryPlan, run: Run, state: SeatIn) -> Cast:
    """Ask the judge of a seat; an error with this item becomes a failed vote."""
    seat, case = state["seat"], state["case"]
    juror = plan.juror(seat["juror"])
    groups = {"replaces": seat["replaces"]} if seat["replaces"] else {}
    inputs: BaseModel | None = None
    outcome: Outcome
    try:
        inputs = plan.step.read_input(state["inputs"])
        if juror.kind == "human":
            return _human(plan, juror, seat, case, inputs, groups)
        outcome = await ask(
            plan.steps[seat["variant"]] if juror.judge else plan.step,
            inputs,
            judge=juror.judge,
            run=run,
            repeat=seat["repeat"],
            engine=plan.engine if juror.judge else juror.name,
        )
    except (InputError, UsageError) as fault:
        outcome = failed_unasked(plan.step, seat["repeat"], "input", str(fault))
    except DxjudgeError:
        raise  # no item can succeed
    except Exception as fault:
        outcome = failed_unasked(
            plan.step, seat["repeat"], "error", f"{type(fault).__name__}: {fault}"
        )
    votes = votes_of(
        plan.step,
        inputs,
        outcome,
        case=case,
        judge=juror.name,
        variant=seat["variant"],
        groups=groups,
    )
    unread = outcome.status == "done" and all(vote.status == "failed" for vote in votes)
    done = outcome.status == "done" and not unread
    return {
        "seat": seat,
        "votes": [vars(vote) for vote in votes],
        "value": outcome.model_dump(mode="json")["value"] if done else None,
        "failure": outcome.kind if outcome.status == "failed" else "error" if unread else "",
    }


def _human(
    plan: JuryPlan, juror: Juror, seat: Seat, case: str, inputs: BaseModel, groups: dict[str, str]
) -> Cast:
    """Return a person's votes from the file; a vote that the file does not have is failed."""
    votes = []
    for part in plan.step.demand_verdict().names(inputs):
        name = vote_step(plan.step, part)
        vote = juror.votes.get((case, name))
        about: dict[str, Any] = {"case": case, "step": name, "judge": juror.name}
        if vote is None:
            fields: dict[str, Any] = {"status": "failed", "reason": "no vote in the file"}
        else:
            fields = {
                key: getattr(vote, key)
                for key in ("status", "verdict", "explanation", "reason", "cost")
            }
        votes.append(Vote(**about, **fields, groups=groups))
    failed = any(vote.status == "failed" for vote in votes)
    return {"seat": seat, "votes": [vars(vote) for vote in votes], "value": None,
            "failure": "missing" if failed else ""}  # fmt: skip


def conclude_jury(plan: JuryPlan, state: JuryState) -> JuryOutcome:
    """Return the jury's outcome from the votes that were cast."""
    cast, counted_casts = state["cast"], held_seats(state["cast"])
    votes = tuple(Vote(**vote) for one in cast for vote in one["votes"])
    counted = [Vote(**vote) for one in counted_casts for vote in one["votes"]]
    by_step: dict[str, list[Vote]] = {}
    for vote in counted:
        by_step.setdefault(vote.step, []).append(vote)
    verdicts = {
        name: combine(votes, plan.rule, quorum=plan.quorum, weights=plan.weights)
        for name, votes in by_step.items()
    }
    return JuryOutcome(
        case=state.get("case", "1"),
        step=plan.step.name,
        verdicts=verdicts,
        votes=votes,
        value=_value(plan, state, verdicts, counted_casts),
        replaced={
            one["seat"]["replaces"]: one["seat"]["juror"] for one in cast if one["seat"]["replaces"]
        },
        escalated=len(counted_casts) > plan.least,
    )


def _value(
    plan: JuryPlan,
    state: JuryState,
    verdicts: Mapping[str, JuryVerdict],
    counted: Sequence[Cast],
) -> dict[str, Any] | None:
    if any(verdict.status != "decided" for verdict in verdicts.values()):
        return None
    inputs = plan.step.read_input(state["inputs"])
    values = [plan.step.read_value(inputs, one["value"]) for one in counted if one["value"]]
    return value_of(plan.step, inputs, verdicts, values)
