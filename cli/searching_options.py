"""The options of every command that searches codes: the release, and further terms."""

from dataclasses import dataclass
from typing import Any

from ..ontology.releases.listed import DEFAULT
from .options import AddedSources, Ontology, Scope, Sources
from .sources_command import read_which


@dataclass(frozen=True, kw_only=True)
class FurtherTerms:
    """Terms beside those of the release."""

    source: Sources = None
    added_sources: AddedSources = "all"

    @property
    def settings(self) -> dict[str, Any]:
        """Return them as `Mapper` takes them."""
        return {"sources": tuple(self.source or ()), "added": read_which(self.added_sources)}


@dataclass(frozen=True, kw_only=True)
class SearchingOptions:
    """What is searched."""

    ontology: Ontology = DEFAULT
    scope: Scope = None
    terms: FurtherTerms

    @property
    def settings(self) -> dict[str, Any]:
        """Return them as `Mapper` takes them."""
        return {"ontology": self.ontology, "scope": self.scope, **self.terms.settings}
