"""Answers every fault of a request with its sentence."""

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from ..errors import (
    DxjudgeError,
    EnvironmentFault,
    InputError,
    ModelFault,
    UnknownCode,
    UsageError,
)
from .fhir import fault
from .queue import Busy

FHIR = "/fhir/"
FHIR_JSON = "application/fhir+json"
_STATUS: tuple[tuple[type[DxjudgeError], int], ...] = (
    (UnknownCode, 404),
    (UsageError, 422),
    (InputError, 422),
    (ModelFault, 502),
    (EnvironmentFault, 503),
)


def add_faults(app: FastAPI) -> None:
    """Answer every fault with its sentence: {"error": …}, or an OperationOutcome for FHIR."""

    def reply(request: Request, status: int, message: str, **headers: str) -> JSONResponse:
        if request.url.path.startswith(FHIR):
            kind = "not-found" if status == 404 else "throttled" if status == 503 else "invalid"
            return JSONResponse(fault(message, kind), status, headers, media_type=FHIR_JSON)
        return JSONResponse({"error": message}, status, headers)

    async def known(request: Request, error: Exception) -> JSONResponse:
        status = next((code for kind, code in _STATUS if isinstance(error, kind)), 500)
        return reply(request, status, str(error))

    async def busy(request: Request, _: Exception) -> JSONResponse:
        message = "too many texts are waiting; send this request again later"
        return reply(request, 503, message, **{"Retry-After": "1"})

    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        faults = (
            f"{'.'.join(map(str, one['loc'][1:])) or 'the body'}: {one['msg']}"
            for one in error.errors()[:5]
        )
        return reply(request, 422, "; ".join(faults))

    async def refused(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        return reply(request, error.status_code, str(error.detail), **(error.headers or {}))

    app.add_exception_handler(HTTPException, refused)
    app.add_exception_handler(DxjudgeError, known)
    app.add_exception_handler(Busy, busy)
    app.add_exception_handler(RequestValidationError, invalid)
