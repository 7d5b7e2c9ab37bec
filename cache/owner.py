"""Which process has a claim, and whether that process still runs."""

import os
import socket
import uuid
from functools import lru_cache


def own_name() -> str:
    """Return the name of this process, `host/process number/token`, which no other one has."""
    return f"{_host()}/{os.getpid()}/{_token(os.getpid())}"


def is_gone(owner: str) -> bool:
    """Whether the owner is known to have ended; False where it may run, as on another host."""
    host, _, rest = owner.rpartition("/")[0].rpartition("/")
    if host != _host() or not rest.isdigit() or os.name != "posix":
        return False
    number = int(rest)
    if number == os.getpid():  # this process may have got the number of an ended one
        return owner != own_name()
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return _is_dead(number)


def _is_dead(number: int) -> bool:
    """Whether a process has ended and its parent has not asked for its exit code yet."""
    try:
        with open(f"/proc/{number}/stat", encoding="utf-8", errors="replace") as file:
            # The name of the program, in brackets before the state, may hold spaces.
            return file.read().rpartition(")")[2].split()[0] in ("Z", "X")
    except (OSError, IndexError):
        return False


@lru_cache(maxsize=1)
def _token(process: int) -> str:
    # The argument makes a forked process create a token of its own.
    return uuid.uuid4().hex


@lru_cache(maxsize=1)
def _host() -> str:
    """Return the host's name and, where the system reports it, the identifier of its start."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            start = file.read().strip()
    except OSError:
        start = ""
    return f"{socket.gethostname()}/{start}"
