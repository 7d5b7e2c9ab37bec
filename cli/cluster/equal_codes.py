"""Equal codes as a judge of a job on many machines: `--engine ontology`, `--judge ontology`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...agents.judge_equivalence import MappedCode, with_ontology
from ...agents.step import Step
from ...graphs.codes import SURE, codes_of, compared_texts
from ...graphs.mapper import Mapper
from ...ontology.table import short_signature
from ..sources_command import read_which, say_added
from .worker_mapper import mapper_of_job

_REMEMBERED = 200_000  # texts whose codes a worker keeps


@dataclass(frozen=True)
class EqualCodes:
    """Compares codes on a worker. added: the value of --added-sources.

    signature: that of the mapper, which must be the same everywhere.
    """

    added: str
    signature: str

    @cached_property
    def _mapper(self) -> Mapper:
        return mapper_of_job({"added": read_which(self.added)}, self.signature)

    @cached_property
    def _known(self) -> dict[str, MappedCode | None]:
        return {}

    def deciding(self, step: Step[Any, Any], inputs: Sequence[Any]) -> Step[Any, Any]:
        """Return the step with the stand-in "ontology", which knows the texts of these inputs.

        A text is mapped once, until 200,000 are known: then all are forgotten.
        """
        if len(self._known) > _REMEMBERED:
            self._known.clear()
        if new := compared_texts(inputs) - self._known.keys():
            self._known.update(codes_of(self._mapper, new, SURE))
        return with_ontology(step, self._known.get, decide_different=True)


def open_codes(added: str) -> EqualCodes:
    """Return what compares codes on all workers; the index is built here, before they look for it.

    Prints which added sources are in use. Raises UsageError and InputError for an unusable source.
    """
    mapper = Mapper(added=read_which(added))
    say_added(mapper.added)
    return EqualCodes(added, short_signature(mapper.signature))
