import asyncio
import json
from typing import Any

import pytest

from dxjudge.agents.engine.run import Run
from dxjudge.agents.judge_equivalence import JUDGE_EQUIVALENCE_CORRECT, MappedCode
from dxjudge.errors import AuthenticationFault, UsageError
from dxjudge.graphs.case import case_graph, judge_case, judge_cases, select_branches
from dxjudge.graphs.case_record import BRANCHES, CaseMapping, CaseRecord

from .protocol_server import ProtocolServer, Seen, fail, refuse, say
from .scripted import example_rows

CASE = {
    "id": "c1",
    "case": "A red toe after a feast.",
    "reference": "Gout: urate crystals.",
    "diagnosis": "gout",
    "ddx": ["septic arthritis", "pseudogout"],
    "response": "The toe is red. It may be podagra or cellulitis; podagra it is.",
}
CODES = {"gout": MappedCode("M10.9", "Gout, unspecified"), "podagra": MappedCode("M10.9", "Gout")}
ANSWERS = {
    "diagnosis": {"diagnosis": "podagra"},
    "diagnoses": {"diagnoses": ["podagra", "cellulitis"]},
    "same_disease": {"same_disease": "yes"},
    "verdict": {"verdict": "Correct"},
    "rationale": {"rationale": "Podagra is gout.", "score": 5},
    "errors": {"errors": []},
}


def fields_of(seen: Seen) -> Any:
    assert seen.schema is not None
    return seen.schema["properties"]


def usual(seen: Seen) -> Any:
    fields = fields_of(seen)
    for name, answer in ANSWERS.items():
        if name in fields:
            return answer
    judged = {"quotes": ["red"], "invented": [], "justification": "So.", "level": 4}
    return {name: judged for name in fields}


def judged(case: Any = CASE, script: Any = usual, **options: Any) -> Any:
    options.setdefault("mapper", CODES.get)
    with ProtocolServer(script) as server, Run(mode="off") as run:
        options.setdefault("judge", server.judge())
        found = asyncio.run(judge_case(case, run=run, **options))
        return found, server


def test_one_typed_record_of_every_branch() -> None:
    record, server = judged()
    assert record.id == "c1"
    assert record.final_diagnosis.value.diagnosis == "podagra"
    assert record.equivalence.value.equivalent is True
    assert record.final_grade.value.score == 5
    assert record.ddx.value.diagnoses == ("podagra", "cellulitis")
    assert record.ddx_grade.value.score == 5
    assert record.rubric.value.total == 100
    assert record.errors.value.errors == ()
    mapping = record.mapping.value
    assert isinstance(mapping, CaseMapping)
    assert mapping.final is not None
    assert (mapping.truth.code, mapping.final.code) == ("M10.9", "M10.9")
    assert [(each.text, each.code) for each in mapping.ddx] == [
        ("podagra", "M10.9"),
        ("cellulitis", None),
    ]
    assert len(mapping.truth_ddx) == 2
    assert record.failures == {}
    assert len(server.seen) == 7
    assert CaseRecord.model_validate_json(record.model_dump_json()).id == "c1"


def test_branches_are_selectable_and_bring_what_they_need() -> None:
    assert select_branches(["equivalence"]) == ("final_diagnosis", "equivalence")
    record, server = judged(branches=["ddx_grade"])
    assert record.ddx.status == record.ddx_grade.status == "done"
    assert record.final_diagnosis is record.rubric is record.mapping is None
    assert len(server.seen) == 2


@pytest.mark.parametrize("branches", [["rubrik"], []])
def test_an_unknown_branch_names_the_branches(branches: Any) -> None:
    with pytest.raises(UsageError, match="the branches are final_diagnosis, equivalence"):
        select_branches(branches)


def test_a_failure_in_one_branch_does_not_lose_the_others() -> Any:
    def script(seen: Seen) -> Any:
        fields = fields_of(seen)
        if "errors" in fields:
            return refuse()
        return fail(400) if "knowledge" in fields else usual(seen)

    record, _ = judged(script=script)
    assert set(record.failures) == {"errors", "rubric"}
    assert record.errors.kind == "refused"
    assert record.rubric.kind == "rejected"
    assert record.ddx_grade.value.score == 5


def test_a_mapper_that_breaks_loses_the_mapping_alone() -> None:
    def broken(text: Any) -> None:
        raise RuntimeError("no index")

    record, _ = judged(mapper=broken)
    assert set(record.failures) == {"mapping"}
    assert record.mapping.reasons == ("RuntimeError: no index",)


def test_what_hangs_on_a_failed_branch_fails_and_says_why() -> Any:
    def script(seen: Seen) -> Any:
        return refuse() if "diagnosis" in fields_of(seen) else usual(seen)

    record, _ = judged(script=script)
    assert set(record.failures) == {"final_diagnosis", "equivalence", "final_grade"}
    assert record.equivalence.kind == "input"
    assert record.equivalence.reasons[0].startswith("final_diagnosis: ")
    assert record.mapping.value.final is None


def test_what_hangs_on_an_abstention_abstains() -> None:
    record, server = judged({**CASE, "response": "  "})
    assert record.failures == {}
    statuses = {name: getattr(record, name).status for name in BRANCHES}
    assert statuses.pop("errors") == statuses.pop("mapping") == "done"
    assert set(statuses.values()) == {"abstained"}
    assert record.errors.value.errors[0].category == "technical or system error"
    assert server.seen == []


def test_independent_branches_run_at_the_same_time() -> None:
    _, server = judged(script=lambda seen: say(usual(seen), delay=0.2))
    assert server.peak == 4  # final diagnosis, list, rubric, errors


def test_the_other_style_of_equivalence() -> None:
    record, server = judged(branches=["equivalence"], equivalence=JUDGE_EQUIVALENCE_CORRECT)
    assert record.equivalence.value.equivalent is True
    assert "Mark the candidate" in server.seen[-1].user


def test_many_cases_and_one_that_cannot_be_read() -> Any:
    async def all_of(judge: Any, run: Any) -> Any:
        inputs: list[Any] = [CASE, {"id": "bad", "case": "x"}, {**CASE, "id": "c2"}]
        return dict(
            [pair async for pair in judge_cases(inputs, judge=judge, run=run, branches=["rubric"])]
        )

    with ProtocolServer(usual) as server, Run(mode="off") as run:
        records = asyncio.run(all_of(server.judge(), run))
    assert [records[place].id for place in range(3)] == ["c1", "bad", "c2"]
    assert records[1].rubric.kind == "input"
    assert records[2].rubric.value.total == 100


def test_without_a_judge_the_rules_and_codes_alone() -> None:
    case = {**CASE, "response": "Final diagnosis: Gout"}
    record, server = judged(case, judge=None, branches=["equivalence"], engine="rules")
    assert record.equivalence.value.equivalent is True
    assert record.equivalence.decided_by == "rules"
    assert server.seen == []
    with pytest.raises(UsageError, match="needs a judge"):
        judged(judge=None)


def test_mapping_needs_a_mapper() -> None:
    with pytest.raises(UsageError, match='the branch "mapping" needs a mapper'):
        case_graph("openai:x", branches=["mapping"])


def test_a_refused_key_stops_at_once() -> None:
    with pytest.raises(AuthenticationFault):
        judged(script=lambda seen: fail(401, "bad key"))


def test_the_state_is_plain_json() -> None:
    with ProtocolServer(usual) as server, Run(mode="off") as run:
        graph = case_graph(server.judge(), mapper=CODES.get, run=run)
        state = asyncio.run(graph.ainvoke({"inputs": CASE}))
    assert set(json.loads(json.dumps(state))) == {"inputs", *BRANCHES}


def test_every_example_case_goes_through() -> Any:
    rows = list(example_rows("cases.jsonl"))
    cases = [
        {
            **{name: row[name] for name in ("id", "case", "reference", "diagnosis", "response")},
            "ddx": [entry["diagnosis"] for entry in row["ddx"]],
        }
        for row in rows
    ]

    async def all_of(run: Any) -> Any:
        stream = judge_cases(cases, run=run, branches=["equivalence"], engine="rules")
        return [record async for _, record in stream]

    with Run(mode="off") as run:
        records = asyncio.run(all_of(run))
    assert {record.id for record in records} == {row["id"] for row in rows}
    # Undecided ones are failures, none is a "no".
    assert all(
        record.equivalence.value.equivalent
        for record in records
        if record.equivalence.status == "done"
    )
