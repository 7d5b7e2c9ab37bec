"""Steps as LangGraph graphs and nodes, and the stand-ins that decide without a model."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypedDict

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from pydantic import BaseModel, SecretStr

from dxjudge.agents.choose_candidate import CHOOSE_CANDIDATE, CandidateChoice, CandidateInput
from dxjudge.agents.engine.ask import ask
from dxjudge.agents.engine.run import Run
from dxjudge.agents.outcome import Abstained, Done, Failed, read_outcome
from dxjudge.agents.step import Nothing, Step
from dxjudge.agents.steps import STEPS, find_step
from dxjudge.errors import AuthenticationFault, UsageError
from dxjudge.graphs.node import Node
from dxjudge.graphs.step import run_step_sync
from dxjudge.graphs.step_graph import StepContext, StepInput, step_graph, step_node

from .protocol_server import ProtocolServer, fail

ITEM = {"diagnosis": "heart attack", "candidates": ["Myocardial infarction", "Angina"]}
GOOD = {"choice": "Angina"}


def by_name(inputs: CandidateInput) -> CandidateChoice | Nothing | None:
    if inputs.diagnosis == "nothing":
        return Nothing("the text says so")
    if inputs.diagnosis in inputs.candidates:
        index = inputs.candidates.index(inputs.diagnosis)
        return CandidateChoice(name=inputs.diagnosis, index=index)
    return None


WITH_RULES = replace(CHOOSE_CANDIDATE, stand_ins={"rules": by_name})


def invoke(graph: Any, state: Any, **options: Any) -> Any:
    return asyncio.run(graph.ainvoke(state, **options))


def test_a_steps_graph_takes_and_gives_plain_json() -> None:
    with ProtocolServer([GOOD]) as server:
        graph = step_graph("choose_candidate", server.judge(), Run(mode="off"))
        result = invoke(graph, {"inputs": ITEM})
    assert json.loads(json.dumps(result)) == result
    outcome = read_outcome(result["outcome"])
    assert outcome.status == "done"
    value = CHOOSE_CANDIDATE.read_value(ITEM, outcome.value)
    assert value == CandidateChoice(name="Angina", index=1)


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_the_graph_and_the_run_without_it_send_the_same_bytes_and_end_alike(wire: str) -> None:
    """First a repair, then an answer, by either path."""
    with ProtocolServer([{"choice": "Gout"}, GOOD, {"choice": "Gout"}, GOOD]) as server:
        judge = server.judge() if wire == "openai" else f"anthropic:double@{server.root}"
        bulk = run_step_sync("choose_candidate", [ITEM], judge=judge, run=Run(mode="off"))
        graph = step_graph("choose_candidate", judge, Run(mode="off"))
        result = invoke(graph, {"inputs": ITEM})
    assert [seen.raw for seen in server.seen[:2]] == [seen.raw for seen in server.seen[2:]]
    assert isinstance(bulk, list) and len(server.seen) == 4
    assert result["outcome"] == bulk[0].model_dump(mode="json")
    assert (bulk[0].repairs, bulk[0].tokens_in) == (1, 200)


@pytest.mark.parametrize("brought", [False, True])
def test_a_caller_who_streams_gets_the_account(brought: bool) -> None:
    """A model that is streamed says nothing of tokens."""
    judge: Any
    with ProtocolServer([GOOD]) as server:
        judge = server.judge()
        if brought:
            judge = ChatOpenAI(model="double", base_url=server.url, api_key=SecretStr("none"))
        graph = step_graph("choose_candidate", judge, Run(mode="off"))

        async def watch() -> list[Any]:
            events = [event async for event in graph.astream_events({"inputs": ITEM})]
            async for _ in graph.astream({"inputs": ITEM}, stream_mode="messages"):
                pass
            both = graph.astream({"inputs": ITEM}, stream_mode=["messages", "values"])
            parts: list[Any] = [part async for part in both]
            return [events, parts[-1][1]]

        events, state = asyncio.run(watch())
    outcome = read_outcome(state["outcome"])
    assert (outcome.tokens_in, outcome.tokens_out) == (100, 20)
    [ended] = [event for event in events if event["event"] == "on_chat_model_end"]
    assert ended["data"]["output"].usage_metadata["input_tokens"] == 100
    final = read_outcome(events[-1]["data"]["output"]["outcome"])
    assert (final.tokens_in, final.tokens_out) == (100, 20)


def test_a_request_that_fails_is_told_to_whoever_watches() -> None:
    class Watcher(BaseCallbackHandler):
        errors = 0

        def on_llm_error(self, error: BaseException, **_: Any) -> None:
            self.errors += 1

    with ProtocolServer([fail(400, "too long")]) as server:
        graph = step_graph("choose_candidate", server.judge(), Run(mode="off"))
        watcher = Watcher()
        result = invoke(graph, {"inputs": ITEM}, config={"callbacks": [watcher]})
    assert result["outcome"]["kind"] == "rejected" and watcher.errors == 1


def test_the_judge_in_the_state_wins() -> None:
    with ProtocolServer([GOOD]) as server, ProtocolServer([{"choice": None}]) as other:
        graph = step_graph("choose_candidate", server.judge(), Run(mode="off"))
        result = invoke(graph, {"inputs": ITEM, "judge": other.judge()})
    assert result["outcome"]["status"] == "abstained"
    assert server.seen == []


def test_one_compiled_graph_serves_every_run() -> None:
    assert step_graph("choose_candidate") is step_graph("choose_candidate")
    with ProtocolServer([GOOD]) as server:
        run = Run(mode="off")
        state = {"inputs": ITEM, "judge": server.judge()}
        invoke(step_graph("choose_candidate"), state, context=StepContext(run))
    assert len(run.ledger.attempts) == 1


def test_a_graph_can_be_drawn() -> None:
    assert "choose_candidate" in step_graph("choose_candidate").get_graph().draw_mermaid()


def test_what_stops_a_run_stops_the_graph() -> None:
    with ProtocolServer([fail(401, "no")]) as server:
        graph = step_graph("choose_candidate", server.judge(), Run(mode="off"))
        with pytest.raises(AuthenticationFault):
            invoke(graph, {"inputs": ITEM})


def test_a_bug_in_a_step_is_a_failed_outcome() -> None:
    def broken(_: CandidateInput) -> dict[str, str]:
        raise ZeroDivisionError("a bug")

    step = replace(CHOOSE_CANDIDATE, render=broken)
    graph = step_graph(step, "openai:m@http://127.0.0.1:9/v1", Run(mode="off"))
    outcome = read_outcome(invoke(graph, {"inputs": ITEM})["outcome"])
    assert isinstance(outcome, Failed) and outcome.kind == "error"
    many = run_step_sync(step, [ITEM, ITEM], judge="openai:m@http://127.0.0.1:9/v1")
    assert isinstance(many, list)
    assert [item.status for item in many] == ["failed", "failed"]


class Theirs(TypedDict, total=False):
    patient: str
    names: list[str]
    verdict: dict[str, Any]


def test_a_step_is_a_node_in_somebody_elses_graph() -> None:
    with ProtocolServer([GOOD]) as server:
        node = step_node(
            CHOOSE_CANDIDATE,
            server.judge(),
            read=lambda state: {"diagnosis": state["patient"], "candidates": state["names"]},
            write="verdict",
            run=Run(mode="off"),
        )
        builder = StateGraph(Theirs)
        builder.add_node("judge", node)
        builder.add_edge(START, "judge")
        builder.add_edge("judge", END)
        result = invoke(builder.compile(), {"patient": "MI", "names": ["Angina", "Gout"]})
    assert result["verdict"]["status"] == "done"
    assert result["verdict"]["value"]["name"] == "Angina"
    assert result["patient"] == "MI"


def invoke_node(node: Node, state: Any) -> dict[str, Any]:
    async def work() -> dict[str, Any]:
        return await node(state)

    return asyncio.run(work())


def test_a_node_reads_fields_of_its_name_unless_told() -> None:
    model = FakeListChatModel(responses=['{"choice": "Gout"}'])
    node = step_node(CHOOSE_CANDIDATE, model, run=Run(mode="off"))
    state: Mapping[str, Any] = {"diagnosis": "MI", "candidates": ["Gout"], "other": 1}
    written = invoke_node(node, state)
    assert written["choose_candidate"]["value"] == {"name": "Gout", "index": 0, "shuffle": None}
    assert node.__name__ == "choose_candidate"


def test_a_jury_is_a_send_for_each_judge() -> None:
    """The judge is in what is sent, so two judges never get each other's verdict."""

    class Jury(TypedDict, total=False):
        votes: Any

    def fan_out(_: Jury) -> list[Send]:
        return [Send("vote", {"inputs": ITEM, "judge": name}) for name in names]

    async def vote(state: StepInput) -> dict[str, Any]:
        context = StepContext(Run(mode="off"))
        found = await step_graph("choose_candidate").ainvoke(state, context=context)
        votes.append((str(state["judge"]), found["outcome"]["status"]))
        return {}

    votes: list[tuple[str, str]] = []
    with ProtocolServer([GOOD]) as yes, ProtocolServer([{"choice": None}]) as no:
        names = [yes.judge(), no.judge()]
        builder = StateGraph(Jury)
        builder.add_node("vote", vote)
        builder.add_conditional_edges(START, fan_out, ["vote"])
        invoke(builder.compile(), {})
    assert sorted(votes) == sorted([(names[0], "done"), (names[1], "abstained")])


def test_a_stand_in_decides_before_the_judge_is_asked() -> None:
    with ProtocolServer([GOOD]) as server:
        items = [{**ITEM, "diagnosis": text} for text in ("Angina", "nothing", "heart attack")]
        outcomes = run_step_sync(WITH_RULES, items, judge=server.judge(), run=Run(mode="off"))
    assert isinstance(outcomes, list)
    decided, nothing, asked = outcomes
    assert isinstance(decided, Done) and decided.value.index == 1
    assert isinstance(nothing, Abstained) and nothing.reason == "the text says so"
    assert [outcome.decided_by for outcome in outcomes] == ["rules", "rules", "llm"]
    assert [outcome.calls for outcome in outcomes] == [0, 0, 1]
    assert decided.judge is None and asked.judge is not None
    assert len(server.seen) == 1


def test_the_engine_can_be_the_judge_alone_or_the_stand_in_alone() -> None:
    item = {**ITEM, "diagnosis": "Myocardial infarction"}
    with ProtocolServer([GOOD]) as server:
        by_judge = run_step_sync(
            WITH_RULES, item, judge=server.judge(), run=Run(mode="off"), engine="llm"
        )
        assert by_judge.decided_by == "llm"
        alone = run_step_sync(WITH_RULES, [item, ITEM], engine="rules", run=Run(mode="off"))
    assert isinstance(alone, list)
    assert [outcome.status for outcome in alone] == ["done", "failed"]
    assert isinstance(alone[1], Failed)
    assert (alone[1].kind, alone[1].decided_by) == ("undecided", "none")
    assert len(server.seen) == 1


def test_without_a_judge_what_no_stand_in_decides_is_undecided() -> None:
    outcome = run_step_sync(WITH_RULES, ITEM, run=Run(mode="off"))
    assert isinstance(outcome, Failed) and outcome.kind == "undecided"
    assert "no judge was given" in outcome.reasons[0]
    with pytest.raises(UsageError, match="it has auto, llm, rules"):
        run_step_sync(WITH_RULES, ITEM, engine="ontology")


def test_a_stand_in_with_a_bug_is_one_items_failure() -> None:
    def broken(_: CandidateInput) -> None:
        raise KeyError("bug")

    step = replace(CHOOSE_CANDIDATE, stand_ins={"rules": broken})
    outcome = asyncio.run(ask(step, ITEM, judge=None, run=Run(mode="off")))
    assert isinstance(outcome, Failed) and outcome.kind == "error"


class Graded(BaseModel):
    grade: int


class Graded10(BaseModel):
    points: float


def test_code_computes_the_result_from_the_models_words() -> None:
    step: Step[CandidateInput, Graded, Graded10] = Step(
        name="grade",
        version=1,
        prompt="choose_candidate",
        input=CandidateInput,
        output=Graded,
        render=lambda i: {"diagnosis": i.diagnosis, "candidates": list(i.candidates)},
        finish=lambda _, answer: Graded10(points=answer.grade * 2.5),
        result=Graded10,
    )
    with ProtocolServer([{"grade": 3}]) as server:
        outcome = run_step_sync(step, ITEM, judge=server.judge(), run=Run(mode="off"))
    assert isinstance(outcome, Done) and outcome.value == Graded10(points=7.5)


def test_the_shape_of_an_answer_may_depend_on_the_input() -> None:
    from functools import lru_cache

    from pydantic import create_model

    @lru_cache
    def shape(names: tuple[str, ...]) -> type[BaseModel]:
        return create_model("Marks", **{f"m{i}": (int, ...) for i in range(len(names))})  # type: ignore[call-overload, no-any-return]

    chosen: Step[Any, Any] = CHOOSE_CANDIDATE
    step = replace(
        chosen,
        output=lambda inputs: shape(inputs.candidates),
        checks=(),
        abstain=None,
        finish=None,
        result=None,
    )
    with ProtocolServer([{"m0": 1, "m1": 2}]) as server:
        outcome = run_step_sync(step, ITEM, judge=server.judge(), run=Run(mode="off"))
    assert isinstance(outcome, Done)
    assert outcome.value.model_dump() == {"m0": 1, "m1": 2}


def test_a_prompt_that_does_not_fit_its_step_is_an_error() -> None:
    class Other(BaseModel):
        diagnosis: str
        text: str

    chosen: Step[Any, Any] = CHOOSE_CANDIDATE
    step = replace(chosen, input=Other, render=None)
    with pytest.raises(UsageError) as error:
        step.load_prompt()
    assert "placeholders without a field: candidates" in str(error.value)
    assert "fields without a placeholder: text" in str(error.value)


def test_every_step_is_found_by_its_name_and_named_once() -> None:
    names = [step.name for step in STEPS]
    assert len(set(names)) == len(names)
    for step in STEPS:
        assert find_step(step.name) is step
        assert step.returns, step.name


def test_outcomes_survive_json() -> None:
    about: dict[str, Any] = {"step": "s", "version": 1}
    for outcome in (
        Done(**about, value={"a": 1}),
        Abstained(**about, reason="none"),
        Failed(**about, kind="refused", reasons=("no",)),
    ):
        again = read_outcome(json.loads(outcome.model_dump_json()))
        assert type(again).__name__.startswith(type(outcome).__name__.split("[")[0])
        assert again.model_dump() == outcome.model_dump()
