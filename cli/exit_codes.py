"""The exit codes of every command, and what they mean."""

INTERNAL = 1
SOME_FAILED = 3
BUDGET = 7
INTERRUPTED = 130
READER_GONE = 141
"""The code that a shell reports for a command that was ended by a closed pipe."""

MEANINGS = {
    0: "done, and nothing was skipped or failed",
    INTERNAL: "an internal error (--debug shows where)",
    2: "a command line that cannot be used",
    SOME_FAILED: "done, but some items failed, or all of them, and the output says which and why",
    4: "an input that cannot be read",
    5: "an output that cannot be written, or that another run is writing",
    6: "something that the run needs is missing: a key, a package, a server",
    BUDGET: "the budget (--max-calls, --max-cost) was reached",
    INTERRUPTED: "interrupted (INT, TERM or HUP), and what was finished is kept",
    READER_GONE: "the reader of standard output went away",
}
"""Exit code -> its meaning. Each error class has its exit code (`dxjudge.errors`)."""
