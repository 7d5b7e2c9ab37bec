"""The HTTP service: a FastAPI application over one mapper and the judging steps."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from collections.abc import Mapping as ReadOnly
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import version
from typing import Annotated, Any, TypeVar

from fastapi import Body, FastAPI, Query
from fastapi.responses import JSONResponse, Response
from fastapi_swagger import patch_fastapi
from pydantic import BaseModel, ConfigDict, Field

from ..agents.outcome import write_outcome
from ..errors import (
    UsageError,
)
from ..graphs.described import schemas, step_row
from ..graphs.step import run_step
from ..ontology.described import describe
from ..ontology.mapping import Candidate, Mapping
from ..ontology.table import short_signature
from .faults import FHIR, FHIR_JSON, add_faults
from .fhir import lookup, text_of, translation
from .metrics import Metrics
from .queue import MapperQueue
from .remote_inputs import check_no_files
from .settings import Service

T = TypeVar("T")

Text = Annotated[str, Field(max_length=10_000)]


class MapRequest(BaseModel):
    """Texts to map. candidates: whether the ranked candidates of each text are wanted too."""

    model_config = ConfigDict(extra="forbid")

    texts: list[Text] = Field(min_length=1)
    candidates: bool = False


class MapReply(BaseModel):
    """One mapping for each text, in order, and the signature that every number belongs to."""

    signature: str
    mappings: list[Mapping]


class SearchReply(BaseModel):
    """The best candidates of a text; reason: why `map` gives the text no code, if it gives none."""

    text: str
    candidates: list[Candidate]
    reason: str | None


class JudgeRequest(BaseModel):
    """Items for a step.

    inputs: the fields of each item, as `/steps/{step}` lists them. judge: one of the models that
    the service offers; by default the only one. engine: "auto", "llm", "rules" or "ontology".
    """

    model_config = ConfigDict(extra="forbid")

    inputs: list[dict[str, Any]] = Field(min_length=1)
    judge: str | None = None
    engine: str = "auto"


class JudgeReply(BaseModel):
    """One outcome for each item, in order; `status` is "done", "abstained" or "failed"."""

    outcomes: list[dict[str, Any]]


def make_app(service: Service) -> FastAPI:
    """Return the application; the index is loaded when it starts.

    The guard is not part of it (`guard.guarded`).
    """
    queue = MapperQueue(service.mapper, service.workers, service.most_waiting)
    metrics = Metrics(queue)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await asyncio.to_thread(service.mapper.map, "gout")
        async with queue.running():
            yield

    app = FastAPI(
        title="dxjudge",
        version=version("dxjudge"),
        description="Maps free-text diagnoses to codes, and judges with checked verdicts.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        swagger_ui_oauth2_redirect_url=None,
    )
    # FastAPI's own page loads its script from another site.
    patch_fastapi(app, swagger_ui_parameters={"filter": True, "validatorUrl": None})
    app.middleware("http")(metrics.watch)
    add_faults(app)
    _add_mapping(app, service, queue)
    _add_judging(app, service)
    _add_fhir(app, service, queue)

    @app.get("/health")
    async def health() -> dict[str, str]:
        """Say that the service answers."""
        return {"status": "ok", "version": version("dxjudge")}

    @app.get("/metrics", response_class=Response)
    async def read_metrics() -> Response:
        """Return the counts in Prometheus' form."""
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return app


def _add_mapping(app: FastAPI, service: Service, queue: MapperQueue) -> None:
    mapper = service.mapper

    @cache
    def signature() -> str:
        return short_signature(mapper.signature)

    @app.post("/map")
    async def map_texts(request: MapRequest) -> MapReply:
        """Map texts to codes, each distinct text once."""
        if len(request.texts) > service.most_texts:
            raise UsageError(
                f"{len(request.texts):,} texts in one request; this service takes "
                f"{service.most_texts:,}"
            )
        mappings = await queue.map(request.texts)
        if not request.candidates:
            mappings = [dataclasses.replace(mapping, candidates=()) for mapping in mappings]
        return MapReply(signature=signature(), mappings=mappings)

    @app.get("/search")
    async def search(text: Text, k: Annotated[int, Query(ge=1, le=100)] = 15) -> SearchReply:
        """Return the best candidates of a text and why they match."""
        mapping = (await queue.map([text]))[0]
        candidates = await asyncio.to_thread(mapper.search, text, k)
        reason = mapping.reason if mapping.code is None else None
        return SearchReply(text=text, candidates=candidates, reason=reason)

    @app.get("/codes/{code}")
    async def code(code: str) -> dict[str, Any]:
        """Return a code, block or chapter with what is above it and below it."""
        return describe(mapper.tree, mapper.tree.node(code))


def _add_judging(app: FastAPI, service: Service) -> None:
    @app.get("/steps")
    async def steps() -> list[dict[str, str]]:
        """List the steps, and the fields that each reads."""
        return [step_row(step) for step in service.steps.values()]

    @app.get("/judges")
    async def judges() -> list[str]:
        """List the models that a request may name."""
        return list(service.judges)

    @app.get("/steps/{name}")
    async def one_step(name: str) -> dict[str, Any]:
        """Return the JSON schemas of a step: its input, answer and result."""
        return schemas(_named(name, service.steps, "step"))

    @app.post("/judge/{name}")
    async def judge(name: str, request: JudgeRequest) -> JudgeReply:
        """Run a step on items. An item that fails is an outcome, like any other."""
        step = _named(name, service.steps, "step")
        if len(request.inputs) > service.most_texts:
            raise UsageError(
                f"{len(request.inputs):,} items in one request; this service takes "
                f"{service.most_texts:,}"
            )
        check_no_files(step, request.inputs)
        chosen = request.judge
        if chosen is None and len(service.judges) == 1 and request.engine in ("auto", "llm"):
            chosen = next(iter(service.judges))
        model = None if chosen is None else _named(chosen, service.judges, "judge")
        outcomes = await run_step(
            step, request.inputs, judge=model, run=service.run, engine=request.engine
        )
        return JudgeReply(outcomes=[write_outcome(outcome) for outcome in outcomes])


def _named(name: str, offered: ReadOnly[str, T], what: str) -> T:
    if name not in offered:
        listed = ", ".join(offered) or "none"
        raise UsageError(f"this service has no {what} {name!r}; it has {listed}")
    return offered[name]


def _add_fhir(app: FastAPI, service: Service, queue: MapperQueue) -> None:
    tree = service.mapper.tree

    async def translate(parameters: dict[str, Any]) -> Response:
        mapping = (await queue.map([text_of(parameters, tree)]))[0]
        return JSONResponse(translation(mapping, tree), media_type=FHIR_JSON)

    @app.post(f"{FHIR}ConceptMap/$translate")
    async def translate_parameters(parameters: Annotated[dict[str, Any], Body()]) -> Response:
        """Translate the words of a FHIR Parameters resource (codeableConcept, coding or code)."""
        return await translate(parameters)

    @app.get(f"{FHIR}ConceptMap/$translate")
    async def translate_code(
        code: Text, targetsystem: str | None = None, reverse: bool = False
    ) -> Response:
        """Translate a text that is given as the code."""
        named = [
            {"name": "code", "valueString": code},
            {"name": "targetsystem", "valueUri": targetsystem},
            {"name": "reverse", "valueBoolean": reverse},
        ]
        return await translate({"parameter": named})

    @app.get(f"{FHIR}CodeSystem/$lookup")
    async def look_up(code: str, system: str | None = None) -> Response:
        """Return what the release says about a code."""
        if system not in (None, tree.descriptor.fhir, tree.descriptor.address):
            raise UsageError(f"the system {system!r} is not {tree.descriptor.fhir}")
        return JSONResponse(lookup(tree, tree.node(code)), media_type=FHIR_JSON)
