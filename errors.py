"""Every exception that dxjudge raises on purpose.

    DxjudgeError
    ├── UsageError               an argument or option that cannot be used
    ├── InputError               a file, row or field that cannot be read
    ├── OutputError              a result that cannot be written
    ├── NoVerdict                a step failed or abstained where a verdict is needed
    └── EnvironmentFault         something the run needs is missing or broken
        ├── MissingExtra         a package of an extra that is not installed
        ├── IndexFault           a search index that is damaged or cannot be built
        ├── ReplayMiss           a reply that a replay needs and the cache does not hold
        └── ModelFault           a model or server that cannot be used
            └── AuthenticationFault  a key that is missing or was refused
    UnknownCode (UsageError)     a code that the ontology release does not hold

The command line prints each as one line on standard error and ends with its exit code.
"""


class DxjudgeError(Exception):
    """The root of every exception raised on purpose; commands end with its `exit_code`."""

    exit_code = 1


class UsageError(DxjudgeError):
    """An argument or option that cannot be used."""

    exit_code = 2


class InputError(DxjudgeError):
    """A file, row or field that cannot be read; the message names it."""

    exit_code = 4


class OutputError(DxjudgeError):
    """A result that cannot be written; no partial file is left under the final name."""

    exit_code = 5


class NoVerdict(DxjudgeError):
    """A step failed or abstained where a verdict is needed; the message says why."""

    exit_code = 3


class EnvironmentFault(DxjudgeError):
    """Something that the run needs is missing or broken."""

    exit_code = 6


class MissingExtra(EnvironmentFault):
    """A package of an extra of dxjudge that is not installed or cannot be imported.

    `extra` is the name of the extra. The message says what needs it, the pip command, and, where
    a package is there but broken, its error.
    """

    def __init__(self, what: str, extra: str, fault: ImportError | None = None) -> None:
        why = f" ({fault})" if fault is not None else ""
        super().__init__(f"{what} needs the {extra} extra: pip install 'dxjudge[{extra}]'{why}")
        self.extra = extra


class IndexFault(EnvironmentFault):
    """A search index that is damaged or cannot be built."""


class ReplayMiss(EnvironmentFault):
    """A reply that a replay needs and the cache does not hold; the message names its key."""


class ModelFault(EnvironmentFault):
    """A model or server that cannot be used."""


class AuthenticationFault(ModelFault):
    """A key that is missing or was refused; the message names the variable to set."""


class UnknownCode(UsageError):
    """A code that the ontology release does not hold.

    `code` is the text that was passed, `nearest` is the closest valid code or None.
    """

    def __init__(self, code: str, release: str, nearest: str | None) -> None:
        hint = f"; the nearest valid code is {nearest}" if nearest else ""
        super().__init__(f"{code!r} is not a code of {release}{hint}")
        self.code = code
        self.release = release
        self.nearest = nearest
