"""`dxjudge serve` over a real socket, and `dxjudge mcp` with the client of the mcp package."""

import asyncio
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from pydantic import BaseModel

from dxjudge.agents.engine.run import Run
from dxjudge.agents.images import Image
from dxjudge.agents.step import Step
from dxjudge.agents.steps import STEPS
from dxjudge.cli.main import run as dxjudge
from dxjudge.errors import InputError
from dxjudge.graphs.mapper import Mapper
from dxjudge.prompts.load import Prompt
from dxjudge.prompts.load_data import RubricField
from dxjudge.web.app import make_app
from dxjudge.web.guard import guarded
from dxjudge.web.listening import bind, make_server
from dxjudge.web.remote_inputs import check_no_files
from dxjudge.web.settings import Service

from .pages import valid_answer
from .protocol_server import ProtocolServer, say

TOKEN = "a secret of the test"


class Look(BaseModel):
    images: tuple[Image, ...] = ()


class Seen(BaseModel):
    words: str


LOOK = Step(
    name="look",
    version=1,
    input=Look,
    output=Seen,
    images=True,
    prompt=Prompt(system="You look.", user="What is it?"),
)


@pytest.fixture(scope="module")
def provider() -> Iterator[ProtocolServer]:
    with ProtocolServer(lambda seen: say(valid_answer(seen.schema or {}))) as running:
        yield running


@pytest.fixture(scope="module")
def service(mapper: Mapper, provider: ProtocolServer) -> Iterator[Service]:
    judge = f"openai:test@{provider.url}"
    with Run(mode="off") as run:
        steps = {step.prompt_name: step for step in (*STEPS, LOOK)}
        yield Service(mapper, run, steps, {judge: judge}, TOKEN, most_texts=20, most_bytes=20_000)


@pytest.fixture(scope="module")
def url(service: Service) -> Iterator[str]:
    listening = bind("127.0.0.1", 0)
    listening.listen()
    server = make_server(guarded(make_app(service), service.guard), grace=10)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    port = listening.getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(20)


@pytest.fixture
def client(url: str) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=url, headers=headers, timeout=60) as open_client:
        yield open_client


def test_maps_as_the_mapper_does(client: httpx.Client, mapper: Mapper) -> None:
    texts = ["heart attack", "gout", "n/a", "heart attack", 'a "quoted" ülcer']
    reply = client.post("/map", json={"texts": texts}).json()
    mapped = [(one["text"], one["code"], one["score"]) for one in reply["mappings"]]
    own = [(one.text, one.code, one.score) for one in mapper.map_many(texts)]
    assert mapped == own
    assert all(one["candidates"] == [] for one in reply["mappings"])
    assert reply["signature"].startswith("icd10cm-")


def test_many_requests_at_once_get_their_own_texts(client: httpx.Client) -> None:
    texts = ["gout", "asthma", "migraine", "psoriasis", "appendicitis"] * 8
    codes = {"gout": "M10", "asthma": "J45", "migraine": "G43", "psoriasis": "L40"}

    async def ask() -> list[dict[str, Any]]:
        async with httpx.AsyncClient(
            base_url=client.base_url, headers=client.headers, timeout=60
        ) as many:
            replies = await asyncio.gather(
                *(many.post("/map", json={"texts": [text]}) for text in texts)
            )
        return [reply.json()["mappings"][0] for reply in replies]

    mappings = asyncio.run(ask())
    assert [one["text"] for one in mappings] == texts
    assert all(
        one["code"].startswith(codes[one["text"]]) for one in mappings if one["text"] in codes
    )


def test_searches_and_shows_codes(client: httpx.Client) -> None:
    found = client.get("/search", params={"text": "sore throat", "k": 3}).json()
    assert len(found["candidates"]) == 3 and found["candidates"][0]["why"]
    shown = client.get("/codes/m10.9").json()
    assert (shown["code"], shown["name"]) == ("M10.9", "Gout, unspecified")
    missing = client.get("/codes/M10.99999")
    assert missing.status_code == 404 and "not a code" in missing.json()["error"]


def test_judges_and_tells_a_failed_item_like_any_other(
    client: httpx.Client, service: Service
) -> None:
    items = [{"predicted": "podagra", "truth": "gout"}, {"predicted": "x"}]
    reply = client.post("/judge/judge_equivalence", json={"inputs": items, "engine": "llm"})
    outcomes = reply.json()["outcomes"]
    assert [one["status"] for one in outcomes] == ["done", "failed"]
    assert outcomes[1]["kind"] == "input"
    assert client.get("/judges").json() == list(service.judges)


@pytest.mark.parametrize(
    ("path", "body", "status", "message"),
    [
        ("/map", {"texts": []}, 422, "texts"),
        ("/map", {"texts": ["gout"], "top": 3}, 422, "top"),
        ("/map", {"texts": ["gout"] * 21}, 422, "21 texts in one request"),
        ("/map", {"texts": ["g" * 10_001]}, 422, "at most 10000"),
        ("/map", {"texts": ["g" * 9_000] * 3}, 413, "larger than"),
        ("/judge/judge_gout", {"inputs": [{}]}, 422, "no step 'judge_gout'"),
        (
            "/judge/judge_equivalence",
            {"inputs": [{}], "judge": "openai:x@http://10.0.0.1/v1"},
            422,
            "no judge 'openai:x@http://10.0.0.1/v1'",
        ),
        (
            "/judge/score_rubric",
            {"inputs": [{"rubric": "/etc/secrets.yaml"}]},
            422,
            "item 1, field 'rubric': names a file",
        ),
    ],
)
def test_what_cannot_be_done_is_said(
    client: httpx.Client, path: str, body: dict[str, Any], status: int, message: str
) -> None:
    reply = client.post(path, json=body)
    assert reply.status_code == status, reply.text
    assert message in reply.json()["error"]


def test_a_large_body_in_chunks_is_refused_as_too_large(client: httpx.Client) -> None:
    chunks = (b" " * 5_000 for _ in range(5))  # the service takes 20,000 bytes
    reply = client.post("/map", content=chunks, headers={"Content-Type": "application/json"})
    assert reply.status_code == 413 and "20,000 bytes" in reply.json()["error"]


def test_an_unknown_route_is_answered_like_any_fault(client: httpx.Client) -> None:
    assert client.get("/nothing").json() == {"error": "Not Found"}
    assert client.get("/fhir/Patient").json()["resourceType"] == "OperationOutcome"


@pytest.mark.parametrize(
    "parameter",
    [
        "gout",
        None,
        ["gout"],
        [{"name": ["a"]}],
        [{"name": "coding", "valueCoding": "gout"}],
        [{"name": "codeableConcept", "valueCodeableConcept": {"coding": [3]}}],
    ],
)
def test_parameters_of_a_wrong_shape_are_an_operation_outcome(
    client: httpx.Client, parameter: Any
) -> None:
    reply = client.post("/fhir/ConceptMap/$translate", json={"parameter": parameter})
    assert reply.status_code == 422 and reply.json()["resourceType"] == "OperationOutcome"


@pytest.mark.parametrize("field", ["perhaps", "several"])
def test_files_are_refused_where_a_field_may_hold_them_in_a_list_or_not_at_all(field: str) -> None:
    class Given(BaseModel):
        perhaps: RubricField | None = None
        several: tuple[RubricField, ...] = ()

    look: Step[Any, Any] = LOOK
    step = replace(look, input=Given, images=False)
    value = "own.yaml" if field == "perhaps" else ["own.yaml"]
    with pytest.raises(InputError, match=f"item 1, field '{field}': names a file"):
        check_no_files(step, [{field: value}])


def test_a_file_of_the_server_is_never_read_as_an_image(client: httpx.Client) -> None:
    for images in ("/etc/passwd", ["/etc/passwd"], [{"path": "/etc/passwd"}]):
        reply = client.post("/judge/look", json={"inputs": [{"images": images}]})
        assert reply.status_code == 422 and "names a file" in reply.json()["error"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": ""}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://[evil"}, 403),
    ],
)
def test_strangers_are_refused(client: httpx.Client, headers: dict[str, str], status: int) -> None:
    assert client.get("/codes/M10", headers=headers).status_code == status


def test_a_host_name_counts_in_any_case(service: Service) -> None:
    async def asked(allowed: str, host: str) -> int:
        app = guarded(FastAPI(), replace(service, hosts=(allowed,), token=None).guard)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
            return (await client.get("/health")).status_code

    assert asyncio.run(asked("Codes.example.org", "codes.example.org:8080")) == 404
    assert asyncio.run(asked("codes.example.org", "other.example.org")) == 421


def test_health_needs_no_token_and_metrics_hold_no_text(url: str, client: httpx.Client) -> None:
    assert httpx.get(f"{url}/health").json()["status"] == "ok"
    client.get("/search", params={"text": "a very private diagnosis"})
    metrics = client.get("/metrics").text
    assert 'dxjudge_requests_total{route="/search",status="200"}' in metrics
    assert "private" not in metrics and "M10" not in metrics
    assert "/map" in client.get("/openapi.json").json()["paths"]


def test_a_browser_opens_the_page_of_the_service_with_the_token_and_needs_no_other_site(
    url: str,
) -> None:
    with httpx.Client(base_url=url) as browser:
        assert "?token=TOKEN" in browser.get("/docs").json()["error"]
        assert browser.get("/docs?token=wrong").status_code == 401
        entered = browser.get("/docs", params={"token": TOKEN, "a": "b c"})
        assert (entered.status_code, entered.headers["location"]) == (303, "/docs?a=b+c")
        page = browser.get("/docs").text
        used = re.findall(r'(?:src|href)="([^"]+)"', page)
        assert len(used) >= 3 and all(address.startswith(url) for address in used)
        assert [browser.get(address).status_code for address in used] == [200] * len(used)
        assert "/map" in browser.get("/openapi.json").json()["paths"]


def test_the_way_in_leads_to_no_other_host(url: str) -> None:
    entered = httpx.get(f"{url}//evil.example/%0d%0ax", params={"token": TOKEN})
    assert entered.headers["location"] == "/evil.example/%0D%0Ax"


def test_fhir_operations_answer_in_fhir(client: httpx.Client) -> None:
    parameters = pytest.importorskip("fhir.resources.R4B.parameters").Parameters
    asked = {
        "resourceType": "Parameters",
        "parameter": [
            {"name": "codeableConcept", "valueCodeableConcept": {"text": "heart attack"}}
        ],
    }
    translated = client.post("/fhir/ConceptMap/$translate", json=asked)
    assert translated.headers["content-type"] == "application/fhir+json"
    found = parameters.model_validate(translated.json())
    named = {one.name: one for one in found.parameter}
    assert named["result"].valueBoolean is True
    first = next(one for one in found.parameter if one.name == "match")
    assert first.part[1].valueCoding.code == "I21"
    text = {"text": "septic shock due to pneumonia"}
    parameter = [{"name": "codeableConcept", "valueCodeableConcept": text}]
    reply = client.post("/fhir/ConceptMap/$translate", json={"parameter": parameter})
    several = reply.json()["parameter"]
    codes = [one["part"][1]["valueCoding"]["code"] for one in several if one["name"] == "match"]
    assert codes[:3] == ["A41.9", "R65.21", "J18"] and len({*codes}) == len(codes)
    for more, why in (
        ({"name": "code", "valueCode": "asthma"}, "the parameter code stands twice"),
        ({"name": "targetsystem", "valueUri": "http://snomed.info/sct"}, "is not http://hl7.org"),
        ({"name": "reverse", "valueBoolean": True}, "reverse is not supported"),
    ):
        asked = {"parameter": [{"name": "code", "valueCode": "gout"}, more]}
        refused = client.post("/fhir/ConceptMap/$translate", json=asked)
        assert (refused.status_code, why in refused.text) == (422, True)
    other = client.get("/fhir/ConceptMap/$translate?code=gout&targetsystem=http://snomed.info/sct")
    assert other.status_code == 422
    looked_up = client.get("/fhir/CodeSystem/$lookup", params={"code": "M10.9"})
    display = parameters.model_validate(looked_up.json()).parameter[2]
    assert display.valueString == "Gout, unspecified"
    outcome = pytest.importorskip("fhir.resources.R4B.operationoutcome").OperationOutcome
    missing = client.get("/fhir/CodeSystem/$lookup", params={"code": "Q99.99999"})
    assert missing.status_code == 404
    assert outcome.model_validate(missing.json()).issue[0].code == "not-found"


def test_more_than_may_wait_is_answered_at_once(service: Service) -> None:
    from dxjudge.web.queue import Busy, MapperQueue

    async def ask() -> Any:
        queue = MapperQueue(service.mapper, workers=1, most=3)
        async with queue.running():
            return await asyncio.gather(
                queue.map(["gout", "asthma"]), queue.map(["migraine", "psoriasis"]),
                return_exceptions=True,
            )  # fmt: skip

    first, second = asyncio.run(ask())
    assert [mapping.text for mapping in first] == ["gout", "asthma"]
    assert isinstance(second, Busy)


def test_an_open_address_needs_a_token(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DXJUDGE_TOKEN", raising=False)
    assert dxjudge(["serve", "--host", "0.0.0.0"]) == 2
    assert "set DXJUDGE_TOKEN" in " ".join(capsys.readouterr().err.split())


def test_a_port_in_use_is_said_before_the_index_is_loaded(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    port = url.rpartition(":")[2]
    assert dxjudge(["serve", "--port", port]) == 6
    assert f"port {port} of 127.0.0.1 cannot be used" in " ".join(capsys.readouterr().err.split())


def test_an_assistant_finds_and_calls_the_tools(service: Service) -> None:
    from mcp import Client

    from dxjudge.web.mcp_server import make_mcp_server

    async def talk() -> None:
        async with Client(make_mcp_server(replace(service, token=None))) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert tools == {
                "map_diagnoses", "search_codes", "show_code", "list_steps", "judge",
            }  # fmt: skip
            mapped = await client.call_tool("map_diagnoses", {"texts": ["gout", "n/a"]})
            rows = (mapped.structured_content or {})["result"]
            assert [row["code"] for row in rows] == ["M10", None]
            item = {"predicted": "podagra", "truth": "gout"}
            judged = await client.call_tool(
                "judge", {"step": "judge_equivalence", "inputs": [item]}
            )
            assert (judged.structured_content or {})["result"][0]["status"] == "done"
            wrong = await client.call_tool("show_code", {"code": "XYZ"})
            assert wrong.is_error and "not a code" in str(wrong.content)
            more = await client.call_tool("map_diagnoses", {"texts": ["gout"], "candidates": True})
            assert more.is_error and "map_diagnoses has no candidates" in str(more.content)
            many = await client.call_tool("search_codes", {"text": "gout", "k": 101})
            assert many.is_error and "less than or equal to 100" in str(many.content)

    asyncio.run(talk())


def test_the_command_speaks_mcp_on_standard_output_alone() -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    done = subprocess.run(
        [sys.executable, "-m", "dxjudge", "mcp"],
        input=json.dumps(hello) + "\n",
        capture_output=True,
        text=True,
        timeout=120,
    )
    reply = json.loads(done.stdout.splitlines()[0])
    assert reply["result"]["serverInfo"]["name"] == "dxjudge"
