"""FHIR's operations on codes: ConceptMap/$translate and CodeSystem/$lookup, R4.

https://hl7.org/fhir/R4/conceptmap-operation-translate.html
https://hl7.org/fhir/R4/codesystem-operation-lookup.html
"""

from collections.abc import Mapping as ReadOnly
from typing import Any

from ..errors import InputError
from ..ontology.exchange.fhir import equivalence
from ..ontology.exchange.mapped_text import MappedText
from ..ontology.mapping import Mapping
from ..ontology.tree import Node, Tree

_TARGETS = ("targetsystem", "targetSystem")  # of R4 and R5
_READ = ("code", "coding", "codeableConcept", "reverse", *_TARGETS)
_TEXTS_OF = ("text", "display", "code")  # where a concept may have words, the best first


def text_of(parameters: dict[str, Any], tree: Tree) -> str:
    """Return the words to translate: of a codeableConcept, a coding, or the code itself.

    parameters: a FHIR Parameters resource. Raises InputError where it has no words, has a
    parameter twice, or asks for another system or direction than that of the tree.
    """
    named: dict[str, dict[str, Any]] = {}
    for one in _objects(parameters.get("parameter")):
        name = str(one.get("name"))
        if name in named and name in _READ:
            raise InputError(f"the parameter {name} stands twice; send a request for each")
        named[name] = one
    _check_target(named, tree)
    concept = _object(named.get("codeableConcept", {}).get("valueCodeableConcept"))
    coding = _object(named.get("coding", {}).get("valueCoding"))
    codings = [*_objects(concept.get("coding")), coding]
    plain = named.get("code", {})
    for source in (concept, *codings, {"code": plain.get("valueCode") or plain.get("valueString")}):
        for key in _TEXTS_OF:
            if isinstance(source.get(key), str) and source[key].strip():
                return str(source[key])
    raise InputError(
        "the parameters have no words to translate: give codeableConcept.text, coding.display or "
        "code"
    )


def _check_target(named: ReadOnly[str, dict[str, Any]], tree: Tree) -> None:
    asked = [named.get(name, {}) for name in _TARGETS]
    targets = {one.get(kind) for one in asked for kind in ("valueUri", "valueCanonical")}
    known = {None, tree.descriptor.fhir, tree.descriptor.address}
    for target in targets - known:
        raise InputError(f"the target system {target!r} is not {tree.descriptor.fhir}")
    if named.get("reverse", {}).get("valueBoolean"):
        raise InputError("reverse is not supported: this service translates words to codes")


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def translation(mapping: Mapping, tree: Tree) -> dict[str, Any]:
    """Return the answer of $translate: the first match is the code, candidates follow.

    Candidates other than the code are "relatedto".
    """
    parameters: list[dict[str, Any]] = [
        {"name": "result", "valueBoolean": mapping.code is not None}
    ]
    if mapping.reason:
        parameters.append({"name": "message", "valueString": mapping.reason})
    if mapping.code is not None:
        first = MappedText(mapping)
        parameters.append(
            _match(mapping.code, mapping.name or "", equivalence(first.relation), tree)
        )
        parameters += [
            _match(further.code, further.name, "relatedto", tree) for further in mapping.additional
        ]
        parameters += [
            _match(candidate.code, candidate.name, "relatedto", tree)
            for candidate in mapping.candidates
            if candidate.code not in mapping.codes
        ]
    return {"resourceType": "Parameters", "parameter": parameters}


def _match(code: str, name: str, relation: str, tree: Tree) -> dict[str, Any]:
    coding = {
        "system": tree.descriptor.fhir,
        "version": tree.version,
        "code": code,
        "display": name,
    }
    return {
        "name": "match",
        "part": [
            {"name": "equivalence", "valueCode": relation},
            {"name": "concept", "valueCoding": {key: cell for key, cell in coding.items() if cell}},
        ],
    }


def lookup(tree: Tree, node: Node) -> dict[str, Any]:
    """Return the answer of $lookup: name, release, terms, parent and children of a code."""
    parameters: list[dict[str, Any]] = [
        {"name": "name", "valueString": tree.descriptor.shown},
        {"name": "version", "valueString": tree.version},
        {"name": "display", "valueString": tree.name(node)},
    ]
    parameters += [
        {"name": "designation", "part": [{"name": "value", "valueString": term}]}
        for term in tree.terms(node)
    ]
    parent = tree.parent(node)
    related = [("parent", parent)] if parent else []
    related += [("child", child) for child in tree.children(node)]
    parameters += [
        {
            "name": "property",
            "part": [
                {"name": "code", "valueCode": kind},
                {"name": "value", "valueCode": other.code},
                {"name": "description", "valueString": tree.name(other)},
            ],
        }
        for kind, other in related
    ]
    return {"resourceType": "Parameters", "parameter": parameters}


def fault(message: str, kind: str = "invalid") -> dict[str, Any]:
    """Return an OperationOutcome; kind: a code of FHIR's issue types."""
    issue = {"severity": "error", "code": kind, "diagnostics": message}
    return {"resourceType": "OperationOutcome", "issue": [issue]}
