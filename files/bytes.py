"""Read bytes and text of any common encoding, also compressed, and replace files as a whole.

A fault of a file is raised as InputError or OutputError, which names the file and, where it can,
the line.
"""

import codecs
import contextlib
import glob
import gzip
import os
import stat
import sys
import uuid
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from ..errors import InputError, OutputError, UsageError

try:
    import fcntl

    _CAN_LOCK = True
except ImportError:  # Windows
    _CAN_LOCK = False

BINARY: int = getattr(os, "O_BINARY", 0)
"""A flag of os.open for files whose bytes stay as they are: Windows makes \\n \\r\\n without it."""

_HEAD = 65536
GZIP = b"\x1f\x8b"
"""The bytes with which gzipped data begins."""

_BYTE_ORDER_MARKS = (  # UTF-32 first: its little-endian mark starts with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\v\f\r\x1b")
_SIGNATURES = {
    b"PAR1": "a Parquet file: name it .parquet or add --input-format parquet",
    b"PK\x03\x04": "a zip archive or a spreadsheet: name it .xlsx, or save it as CSV (UTF-8)",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet or document; save the sheet as CSV (UTF-8)",
    b"%PDF": "a PDF, not text",
    b"SQLite format 3": "an SQLite database, not text",
}


def read_bytes(path: Path) -> bytes:
    """Return the content of a file. Raises InputError when it cannot be read."""
    with reading(str(path)):
        return path.read_bytes()


@contextlib.contextmanager
def reading(name: str) -> Iterator[None]:
    """Raise InputError, with the name of the file, where reading it fails."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{name} is a folder, not a file") from None
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from error


@contextlib.contextmanager
def unpacking(name: str) -> Iterator[None]:
    """Raise InputError, with the name of the file, where gzipped data is damaged."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{name} cannot be decompressed: {error}") from error


def unpack(data: bytes, name: str) -> bytes:
    """Return data, decompressed if it is gzipped. Raises InputError when it is damaged."""
    if not data.startswith(GZIP):
        return data
    with unpacking(name):
        return gzip.decompress(data)


def is_marked(data: bytes) -> bool:
    """Whether the data starts with a byte order mark."""
    return any(data.startswith(mark) for mark, _ in _BYTE_ORDER_MARKS)


def decode(data: bytes, name: str, encoding: str | None = None, *, hint: str = "") -> str:
    """Return the text in `data`, decompressed if it is gzipped, without its byte order mark.

    Without `encoding` the byte order mark names the encoding; without either it is UTF-8. `hint`
    ends the message of a decoding error and says what the user should do.

    Raises InputError for a binary file and for bytes that the encoding does not allow,
    UsageError for an encoding that Python does not know.
    """
    data = unpack(data, name)
    encoding = encoding or encoding_of(data, name)
    with decoding(name, encoding, hint, lambda: 1):
        return without_mark(data.decode(encoding), encoding)


@contextlib.contextmanager
def decoding(name: str, encoding: str, hint: str, line: Callable[[], int]) -> Iterator[None]:
    """Raise what `decode` raises. line: gives the line on which the bytes in work begin."""
    try:
        yield
    except LookupError:
        raise UsageError(f"there is no encoding {encoding!r}; try utf-8, cp1252, utf-16") from None
    except UnicodeError as error:
        raise _not_in(encoding, error, name, line(), hint) from error


def encoding_of(data: bytes, name: str) -> str:
    """Return the encoding that a byte order mark at the start of a file names, else UTF-8.

    Raises InputError for a binary file.
    """
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), "utf-8")
    if not encoding.startswith(("utf-16", "utf-32")):
        _refuse_binary(data, name)
    return encoding


def without_mark(text: str, encoding: str) -> str:
    """Return the beginning of a decoded text without its byte order mark."""
    # These codecs remove the mark themselves; a second one belongs to the text.
    is_removed = encoding in ("utf-8-sig", "utf-16", "utf-32")
    return text if is_removed else text.removeprefix("\ufeff")


def _not_in(encoding: str, error: UnicodeError, name: str, line: int, hint: str) -> InputError:
    """Return the error for bytes that are not of an encoding, in a text that begins on a line."""
    place = ""
    if isinstance(error, UnicodeDecodeError):
        line += error.object.count(b"\n", 0, error.start)
        place = f", line {line}: byte 0x{error.object[error.start]:02X}"
    shown = encoding.removesuffix("-sig").upper()
    return InputError(f"{name}{place} is not {shown}{hint and '; ' + hint}")


def _refuse_binary(data: bytes, name: str) -> None:
    for signature, what in _SIGNATURES.items():
        if data.startswith(signature):
            raise InputError(f"{name} is {what}")
    head = data[:_HEAD]
    for start, order in ((1, "le"), (0, "be")):
        half = head[start::2]
        if len(half) > 1 and half.count(0) > 0.7 * len(half) > 2 * head[1 - start :: 2].count(0):
            raise InputError(
                f"{name} looks like UTF-16 without a byte order mark; add --encoding utf-16-{order}"
            )
    # Control characters are rare in text but allowed there (the unit separator is one): what is
    # valid UTF-8 is binary only when it is full of zero bytes.
    controls = b"\0" if _is_utf8(head) else _CONTROLS
    odd = sum(byte in controls for byte in head)
    if odd > 8 and odd > len(head) / 10:
        raise InputError(
            f"{name} is a binary file, not text; if it is text, name its encoding with --encoding"
        )


def _is_utf8(head: bytes) -> bool:
    try:
        # The head may end within a character.
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def check_writable(path: Path) -> None:
    """Raise OutputError when `writing` could not write `path`; changes no file."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise OutputError(f"cannot write {path}: it is a folder")
    if target.exists() and not os.access(target, os.W_OK):
        raise OutputError(f"cannot write {path}: it is read-only")
    if not target.parent.is_dir():
        raise OutputError(f"cannot write {path}: there is no folder {target.parent}")
    if target.exists() and not target.is_file():
        return
    try:
        descriptor, temporary = _open_beside(target)
        os.close(descriptor)
        os.unlink(temporary)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error


@contextlib.contextmanager
def standard_output() -> Iterator[BinaryIO]:
    """Yield standard output for bytes. Raises OutputError when it cannot be written."""
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write standard output: {error.strerror}") from error


def writing_to(output: str) -> contextlib.AbstractContextManager[BinaryIO]:
    """Open what `-o` names: standard output for "-", else a file, replaced as `writing` does."""
    return standard_output() if output == "-" else writing(Path(output))


@contextlib.contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that replaces `path` at the end, and is removed if writing fails.

    The file is written beside `path` and then renamed. So a reader sees the old content or the
    new one, and a full disk or an interruption leaves the old one. A device or pipe is written
    directly. A file named .gz is compressed; the same content gives the same bytes.

    Raises OutputError when the file cannot be written.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as device:
                yield device
            return
        remove_left(target)
        descriptor, temporary = _open_beside(target)
        try:
            with os.fdopen(descriptor, "wb") as file:
                with _compressing(file, path) as content:
                    yield content
                file.flush()
                os.fsync(file.fileno())
                if _CAN_LOCK:  # rename while the lock of the open file still protects it
                    os.replace(temporary, target)
            if not _CAN_LOCK:
                os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error


@contextlib.contextmanager
def _compressing(file: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    if path.suffix.lower() != ".gz":
        yield file
        return
    with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        yield cast(BinaryIO, packed)


def _open_beside(target: Path) -> tuple[int, Path]:
    """Create a file in the folder of `target`, with the permissions `target` has or would get.

    The file is locked while it is open. From the lock, `remove_left` sees that its writer runs.
    """
    while True:
        temporary = target.with_name(f".{target.name[:40]}.{uuid.uuid4().hex}.part")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, 0o666)
        if not _CAN_LOCK:
            break
        with contextlib.suppress(OSError):  # some file systems have no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if temporary.exists():  # another run may have removed it before it was locked
            break
        os.close(descriptor)
    if target.exists():
        with contextlib.suppress(OSError):
            os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
    return descriptor, temporary


def remove_left(target: Path) -> None:
    """Remove the unfinished files that killed runs left beside `target`."""
    if not _CAN_LOCK:
        return
    for path in target.parent.glob(f".{glob.escape(target.name[:40])}.*.part"):
        with contextlib.suppress(OSError), path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
