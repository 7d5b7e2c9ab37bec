"""A server on a socket, for the service and for the pages."""

import os
import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn
from starlette.types import ASGIApp

from ..errors import EnvironmentFault


def bind(host: str, port: int) -> socket.socket:
    """Return a socket at an address, 0 for any free port; nobody can connect before it listens.

    Raises EnvironmentFault where the address cannot be used.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        )[0]
        bound = socket.socket(family, kind, protocol)
        try:
            if os.name == "posix":  # on Windows two servers could then have one port
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
        except OSError:
            bound.close()
            raise
    except OSError as fault:
        raise EnvironmentFault(
            f"port {port} of {host} cannot be used ({fault.strerror or fault}): name another with "
            "--port"
        ) from fault
    return bound


def make_server(app: ASGIApp, *, grace: int) -> uvicorn.Server:
    """Return the server of an app, which leaves the settings of logging as they are.

    uvicorn's own settings close the streams of handlers that others have set up. There is no access
    log: it would hold the texts of requests. grace: seconds to finish open requests at the end.
    """
    return uvicorn.Server(
        uvicorn.Config(app, access_log=False, log_config=None, timeout_graceful_shutdown=grace)
    )


def serve_until_ended(
    app: ASGIApp, bound: socket.socket, *, grace: int, show: Callable[[], None]
) -> None:
    """Serve an app on a socket until the user presses Ctrl-C, which interrupts nothing.

    show: says where the app is; from then on nobody is refused.
    """
    bound.listen()
    with suppress(KeyboardInterrupt):
        show()
        make_server(app, grace=grace).run([bound])
