"""The report; its page and figures are written next to the tables."""

from pathlib import Path

from .evaluate import Evaluation


def write_report(made: Evaluation, folder: Path, *, shown: int) -> None:
    """Write the report."""
