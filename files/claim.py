"""A file that one process at a time may write."""

import contextlib
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import OutputError


def claim(path: Path, advice: str = "", *, patience: float = 0) -> Callable[[], None]:
    """Reserve `path` for the caller, and return the function that releases it.

    The lock is a file beside `path`, `PATH.lock`. The operating system frees it when the process
    ends, also when it is killed. `advice` ends the error message. `patience`: seconds to wait
    for another run.

    Raises OutputError, naming the file, when another run has it or when it cannot be locked.
    """
    if not path.parent.is_dir():  # FileLock would create the folder
        raise OutputError(f"cannot write {path}: there is no folder {path.parent}")
    # A run may open a journal in one thread and close it in another.
    lock = FileLock(f"{path}.lock", timeout=patience, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        todo = advice or "wait until that run has ended, or name another file"
        raise OutputError(f"{path} is being written by another run: {todo}") from None
    except OSError as fault:
        raise OutputError(f"{path} cannot be locked: {fault.strerror or fault}") from fault

    def give_back() -> None:
        with contextlib.suppress(OSError):
            Path(lock.lock_file).unlink()
        lock.release()

    return give_back
