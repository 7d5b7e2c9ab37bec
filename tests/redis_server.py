"""A Redis server for tests; they are skipped where there is none."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def running_redis() -> Iterator[str]:
    """The address of a server that keeps nothing."""
    binary = shutil.which("redis-server")
    if binary is None:
        pytest.skip("no redis-server on this machine (apt-get install redis-server)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [binary, "--port", str(port), "--save", "", "--appendonly", "no"],
        stdout=subprocess.DEVNULL,
    )
    url = f"redis://127.0.0.1:{port}/0"
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.05)
    try:
        yield url
    finally:
        process.terminate()
        process.wait()
