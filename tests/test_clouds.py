"""Bedrock and Vertex: requests that are signed or carry an account's token, in their own form."""

import base64
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import botocore.session
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.validate import ParamValidator
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from dxjudge.agents.engine.judges import as_judge
from dxjudge.agents.engine.models import PROVIDERS, has_own_server
from dxjudge.agents.engine.run import Run
from dxjudge.agents.judge import parse_judge
from dxjudge.agents.outcome import Outcome
from dxjudge.cli.main import run as command
from dxjudge.errors import AuthenticationFault, MissingExtra, UsageError
from dxjudge.graphs.step import run_step_sync

from .protocol_server import ProtocolServer, Seen, fail
from .test_models import LOOK, PNG

ITEM = {"diagnosis": "heart attack", "candidates": ["Acute myocardial infarction", "Angina"]}
GOOD = {"choice": "Angina"}
MODEL = "us.anthropic.claude-sonnet-4-20250514-v1:0"
SECRET = "secret-of-the-account"
CLOUD = ("AWS_", "GOOGLE_", "CLOUD", "ANTHROPIC_VERTEX", "VERTEX_", "BOTO")


@pytest.fixture(autouse=True)
def _no_account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import os

    for name in [name for name in os.environ if name.startswith(CLOUD)]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("DXJUDGE_SERVER_KEY", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("NO_GCE_CHECK", "true")


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")


def ask(judge: Any, step: Any = "choose_candidate", item: Any = ITEM) -> Outcome:
    with Run(mode="off", attempts=2) as run:
        outcome: Outcome | list[Outcome] = run_step_sync(step, item, judge=judge, run=run)
    assert not isinstance(outcome, list)
    return outcome


def signature(seen: Seen, root: str) -> str:
    """The signature that Amazon would compute for a request as it arrived."""
    given = dict(part.split("=", 1) for part in seen.headers["authorization"][17:].split(", "))
    signed = {name: seen.headers[name] for name in given["SignedHeaders"].split(";")}
    request = AWSRequest("POST", root + seen.path, headers=signed, data=seen.raw)
    request.context["timestamp"] = seen.headers["x-amz-date"]
    signer = SigV4Auth(Credentials("AKIDEXAMPLE", SECRET), "bedrock", "eu-central-1")
    text = signer.string_to_sign(request, signer.canonical_request(request))
    assert given["Credential"].endswith("/eu-central-1/bedrock/aws4_request")
    assert given["Signature"] == signer.signature(text, request)
    return given["Signature"]


def check_converse(seen: Seen) -> None:
    """Check a body against Amazon's own description of the API, of which images are base64."""
    service = botocore.session.get_session().get_service_model("bedrock-runtime")
    shape = service.operation_model("Converse").input_shape
    report = ParamValidator().validate({**seen.body, "modelId": "m"}, shape)
    assert not report.has_errors(), report.generate_report()
    assert set(seen.body) <= set(shape.members)


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize("method", ["json_schema", "tool", "text"])
def test_a_request_to_bedrock_is_signed_and_has_the_form_of_converse(
    method: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ProtocolServer([{"choice": "Gout"}, GOOD]) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.root)
        outcome = ask(parse_judge(f"bedrock:{MODEL}", method=method, max_tokens=50))
    assert outcome.status == "done" and outcome.value.name == "Angina"
    assert (outcome.calls, outcome.tokens_in, outcome.tokens_out) == (2, 200, 40)
    assert len({signature(seen, server.root) for seen in server.seen}) == 2
    for seen in server.seen:
        check_converse(seen)
        assert seen.path == "/model/us.anthropic.claude-sonnet-4-20250514-v1%3A0/converse"
        assert seen.form == method and seen.body["inferenceConfig"]["maxTokens"] == 50
    roles = [message["role"] for message in server.seen[1].body["messages"]]
    assert roles == ["user", "assistant", "user"]


@pytest.mark.usefixtures("aws")
def test_bedrock_gets_an_image_itself_and_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    with ProtocolServer([GOOD]) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.root)
        outcome = ask(f"bedrock:{MODEL}", LOOK, {"question": "q", "images": [PNG]})
        address = {"question": "q", "images": ["https://a.org/b.png"]}
        refused = ask(f"bedrock:{MODEL}", LOOK, address)
    assert outcome.status == "done"
    [seen] = server.seen
    check_converse(seen)
    block = seen.body["messages"][0]["content"][1]["image"]
    assert block["format"] == "png" and base64.b64decode(block["source"]["bytes"]) == PNG
    assert refused.status == "failed" and "not its address" in refused.reasons[0]


@pytest.mark.usefixtures("aws")
def test_a_model_on_bedrock_that_takes_no_schema_and_no_tool_is_asked_in_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def script(seen: Seen) -> Any:
        if seen.form == "json_schema":
            return fail(400, "The model does not support outputConfig.textFormat")
        if seen.form == "tool":
            return fail(400, "This model doesn't support the toolConfig.toolChoice.tool field")
        return json.dumps(GOOD)

    with ProtocolServer(script) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.root)
        outcome = ask("bedrock:meta.llama3-1-8b-instruct-v1:0")
    assert outcome.status == "done" and outcome.judge is not None
    assert outcome.judge.method == "text" and len(server.seen) == 3


@pytest.mark.usefixtures("aws")
def test_a_server_of_ones_own_gets_no_signature_of_the_account() -> None:
    with ProtocolServer([GOOD]) as server:
        assert ask(f"bedrock:{MODEL}@{server.root}").status == "done"
    assert server.seen[0].headers["authorization"] == "Bearer not-needed"
    assert "AKIDEXAMPLE" not in str(server.seen[0].headers)


def test_bedrock_without_credentials_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    with pytest.raises(AuthenticationFault, match="AWS_BEARER_TOKEN_BEDROCK"):
        ask(f"bedrock:{MODEL}")


@pytest.mark.parametrize(
    ("judge", "variables", "missing", "extra"),
    [
        (f"bedrock:{MODEL}", {"AWS_REGION": "us-east-1"}, "boto3", "bedrock"),
        (
            "vertex:gemini-2.5-pro",
            {"GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "global"},
            "google.auth",
            "vertex",
        ),
    ],
)
def test_a_missing_extra_is_named_with_its_command(
    judge: str,
    variables: dict[str, str],
    missing: str,
    extra: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtra, match=rf"pip install 'dxjudge\[{extra}\]'"):
        ask(judge)


def test_the_address_of_a_cloud_follows_from_region_or_project(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for judge in ("bedrock:m", "vertex:gemini-2.5-pro"):
        with pytest.raises(UsageError, match="AWS_REGION|GOOGLE_CLOUD_PROJECT and"):
            as_judge(judge)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-west-2")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "p")
    hosts = {"global": "", "us-east5": "us-east5-"}
    for location, start in hosts.items():
        monkeypatch.setenv("GOOGLE_CLOUD_LOCATION", location)
        url = f"https://{start}aiplatform.googleapis.com/v1/projects/p/locations/{location}"
        assert as_judge("vertex:m").spec.base_url == url
    assert as_judge("bedrock:m").spec.base_url == "https://bedrock-runtime.us-west-2.amazonaws.com"


def test_only_the_clouds_own_servers_get_credentials() -> None:
    own = {
        "bedrock": ["https://bedrock-runtime.eu-west-1.amazonaws.com"],
        "vertex": [
            "https://aiplatform.googleapis.com/v1/projects/p/locations/global",
            "https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu",
        ],
    }
    foreign = [
        "https://ec2-1-2-3-4.compute-1.amazonaws.com",
        "https://bedrock-runtime.eu-west-1.amazonaws.com.evil.org",
        "http://bedrock-runtime.eu-west-1.amazonaws.com",
        "https://storage.googleapis.com/aiplatform.googleapis.com",
    ]
    for provider, addresses in own.items():
        assert all(has_own_server(provider, url) for url in addresses)
        assert not any(has_own_server(provider, url) for url in foreign)
    assert not any(has_own_server(name, foreign[0]) for name in PROVIDERS)


@pytest.fixture
def google(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[dict[str, Any]]]:
    """A service account whose tokens come from a server of the test; yields what it was asked."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode()))
            token = {"access_token": f"token-{len(asked)}", "expires_in": 3600}
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(token).encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
    private = rsa.generate_private_key(65537, 2048).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    account = {
        "type": "service_account",
        "client_email": "a@p.iam.gserviceaccount.com",
        "private_key": private.decode(),
        "project_id": "p",
        "token_uri": f"http://127.0.0.1:{server.server_port}/token",
    }
    file = tmp_path / "account.json"
    file.write_text(json.dumps(account))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    yield asked
    server.shutdown()
    server.server_close()


def test_models_of_google_and_anthropic_are_asked_on_vertex_with_a_token_of_the_account(
    google: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ProtocolServer([GOOD]) as server:
        monkeypatch.setenv("VERTEX_BASE_URL", f"{server.root}/v1/projects/p/locations/us-east5")
        for judge in ("vertex:gemini-2.5-pro", "vertex:claude-sonnet-4@20250514"):
            assert ask(judge).status == "done"
    gemini, claude = server.seen
    start = "/v1/projects/p/locations/us-east5"
    assert gemini.path == f"{start}/endpoints/openapi/chat/completions"
    assert gemini.body["model"] == "google/gemini-2.5-pro"
    assert claude.path == (
        f"{start}/publishers/anthropic/models/claude-sonnet-4@20250514:rawPredict"
    )
    assert claude.body["anthropic_version"] and "model" not in claude.body
    assert [seen.headers["authorization"] for seen in server.seen] == [
        "Bearer token-1",
        "Bearer token-2",
    ]
    assert google[0]["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]


def test_an_account_of_google_that_does_not_exist_is_a_clear_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    monkeypatch.setenv("VERTEX_BASE_URL", "https://x.org/v1/projects/p/locations/l")
    with pytest.raises(AuthenticationFault, match="gcloud auth"):
        ask("vertex:gemini-2.5-pro")


def test_the_command_names_the_extras_of_the_clouds(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["providers"]) == 0
    shown = capsys.readouterr().out
    assert "bedrock:MODEL" in shown and "pip install 'dxjudge[bedrock]'" in shown
    assert "vertex:MODEL" in shown and "pip install 'dxjudge[vertex]'" in shown
