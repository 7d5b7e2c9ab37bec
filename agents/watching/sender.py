"""Send spans to a collector of OpenTelemetry, and count those that it did not take."""

import logging
import time
from collections.abc import Sequence

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

_LONGEST = 200  # characters of a fault
_PAUSE = 60.0  # seconds without a further try after a collector has not answered


class Sender:
    """Sends the spans of `tracer` as the variables OTEL_* say."""

    def __init__(self) -> None:
        self._exporter = _Exporter()
        self._ended = _Ended()
        self._lost = 0
        provider = TracerProvider(resource=Resource.create({"service.name": "dxjudge"}))
        provider.add_span_processor(self._ended)
        provider.add_span_processor(BatchSpanProcessor(self._exporter))
        self._provider = provider
        self.tracer = provider.get_tracer("dxjudge")
        # The SDK logs each try; one remark at the end says the same.
        self._faults = _Faults()
        logger = logging.getLogger("opentelemetry")
        logger.handlers = [self._faults]
        logger.propagate = False

    def take_lost(self) -> int:
        """Send what is left, and return how many spans were lost since the last call."""
        self._provider.force_flush()
        lost = self._ended.count - self._exporter.sent
        before, self._lost = self._lost, lost
        return lost - before

    @property
    def fault(self) -> str:
        """Why a span was lost first, "" where nothing was said."""
        return self._faults.first


class _Ended(SpanProcessor):
    """Counts the spans that have ended."""

    count = 0

    def on_end(self, span: ReadableSpan) -> None:
        self.count += 1


class _Exporter(SpanExporter):
    """Counts the spans that were sent; after a fault it drops spans for a while.

    A collector that does not answer costs seconds a try.
    """

    def __init__(self) -> None:
        self.sent = 0
        self._next_try = 0.0
        self._exporter = OTLPSpanExporter()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        if time.monotonic() < self._next_try:
            return SpanExportResult.FAILURE
        result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS:
            self.sent += len(spans)
        else:
            self._next_try = time.monotonic() + _PAUSE
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()  # type: ignore[no-untyped-call]


class _Faults(logging.Handler):
    """Keeps the first fault that the SDK logs."""

    first = ""

    def emit(self, record: logging.LogRecord) -> None:
        said = " ".join(record.getMessage().partition(" encountered while ")[0].split())
        self.first = self.first or said[:_LONGEST]
