"""A collector of OpenTelemetry over HTTP, which notes the path of each request."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def running_collector(status: int = 200) -> Iterator[tuple[str, list[str]]]:
    """Its address, and the paths to which spans were sent; it answers with this status."""
    paths: list[str] = []

    class Collector(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            paths.append(self.path)
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: Any) -> None: ...

    collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{collector.server_port}", paths
    finally:
        collector.shutdown()
        collector.server_close()
