"""dxjudge: LLM judges and ontology mapping for the evaluation of diagnosis models.

The public names load on first use, so that `import dxjudge` stays fast.
"""

from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dxjudge.ontology.tree import Tree, load_tree

# Public name -> module that holds it.
_HOMES = {
    "Tree": "dxjudge.ontology.tree",
    "load_tree": "dxjudge.ontology.tree",
}

__all__ = ["Tree", "__version__", "load_tree"]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return metadata.version("dxjudge")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'dxjudge' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
