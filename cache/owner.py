"""Who holds a claim, and whether that process is still there."""

import os
import socket
import uuid
from functools import lru_cache


def own_name() -> str:
    """This process's name, `host/process number/token`; no other process ever has the same."""
    return f"{_host()}/{os.getpid()}/{_token(os.getpid())}"


def is_gone(owner: str) -> bool:
    """Whether the owner is known to be dead; False where it may be alive, as on another host."""
    host, _, rest = owner.rpartition("/")[0].rpartition("/")
    if host != _host() or not rest.isdigit() or os.name != "posix":
        return False
    number = int(rest)
    if number == os.getpid():  # the number of a dead process, given anew to this one
        return owner != own_name()
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


@lru_cache(maxsize=1)
def _token(process: int) -> str:
    # Kept by process number: a forked process makes its own.
    return uuid.uuid4().hex


@lru_cache(maxsize=1)
def _host() -> str:
    """The host's name and this start of it, where the system tells."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            start = file.read().strip()
    except OSError:
        start = ""
    return f"{socket.gethostname()}/{start}"
