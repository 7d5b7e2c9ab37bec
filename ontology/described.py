"""Everything that a release says about a code, as plain data."""

from typing import Any

from .tree import Node, Tree


def describe(tree: Tree, node: Node) -> dict[str, Any]:
    """Return everything that the release says about a node, as plain data."""

    def brief(node: Node) -> dict[str, str]:
        return {"kind": node.kind, "code": node.code, "name": tree.name(node)}

    return {
        **brief(node),
        "release": tree.release,
        "version": tree.version,
        "curie": tree.descriptor.curie(node.code),
        "systems": {"fhir": tree.descriptor.fhir or None, "omop": tree.descriptor.omop or None},
        "level": tree.level(node),
        "billable": tree.is_billable(node),
        "ancestors": [brief(ancestor) for ancestor in reversed(tree.ancestors(node))],
        "terms": list(tree.terms(node)),
        "notes": {kind: list(notes) for kind, notes in tree.notes(node).items()},
        "children": [brief(child) for child in tree.children(node)],
    }
