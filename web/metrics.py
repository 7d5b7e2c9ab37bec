"""Counts and times of a service in Prometheus' form."""

import time
from collections.abc import Awaitable, Callable

from fastapi import Request, Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from .queue import MapperQueue

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120)


class Metrics:
    """The metrics of one service, in a registry of their own."""

    def __init__(self, queue: MapperQueue) -> None:
        self._registry = CollectorRegistry()
        labels = ("route", "status")
        self._requests = Counter(
            "dxjudge_requests", "Requests, by route and status.", labels, registry=self._registry
        )
        self._seconds = Histogram(
            "dxjudge_request_seconds",
            "Seconds that a request took.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        waiting = Gauge("dxjudge_waiting_texts", "Texts not mapped yet.", registry=self._registry)
        waiting.set_function(lambda: queue.waiting)

    async def watch(
        self, request: Request, call_next: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        """Count a request and its time under the route, which has no text of the user in it."""
        started = time.perf_counter()
        response = await call_next(request)
        route = getattr(request.scope.get("route"), "path", "none")
        self._requests.labels(route, str(response.status_code)).inc()
        self._seconds.labels(route).observe(time.perf_counter() - started)
        return response

    def text(self) -> bytes:
        """Return all metrics as text."""
        return generate_latest(self._registry)
