"""Write a FHIR ConceptMap, R4 or R5: texts as the source, codes as the target.

R4: https://hl7.org/fhir/R4/conceptmap.html. R5: https://hl7.org/fhir/R5/conceptmap.html.
A ConceptMap maps codes, so each text has its id as code and itself as display.
"""

import datetime
import json
import uuid
from importlib.metadata import version
from typing import Any, BinaryIO, Literal

from ..tree import Tree
from .mapped_text import TEXTS, MappedText, Relation, exportable

Version = Literal["r4", "r5"]

BESIDE = "further code beside"
"""The first words of the comment of a target that stands beside the code of a text."""

_RELATIONS: dict[Version, dict[Relation, str]] = {
    "r4": {"equal": "equivalent", "wider": "wider", "close": "relatedto"},
    "r5": {
        "equal": "equivalent",
        "wider": "source-is-narrower-than-target",
        "close": "related-to",
    },
}


def write_concept_map(
    file: BinaryIO, texts: list[MappedText], tree: Tree, fhir: Version = "r4"
) -> None:
    """Write the mappings as one ConceptMap in JSON.

    The status is "active" where people reviewed every text, else "draft". The comment of a target
    has the score and how it was decided, since a ConceptMap has no place for them. Further codes
    of a text are further targets, whose comment says so. A text without a code is "unmatched" in
    R4, with the reason, and has `noMap` in R5, which has no place for the reason.
    """
    told = exportable(texts)
    is_r4 = fhir == "r4"
    names = ("source", "target") if is_r4 else ("sourceScope", "targetScope")
    system = tree.descriptor.fhir or tree.descriptor.address
    group: dict[str, Any] = {"source": TEXTS.rstrip("/"), "target": system}
    if is_r4:
        group["targetVersion"] = tree.version
    else:
        group["target"] = f"{system}|{tree.version}"
    group["element"] = [_element(text, fhir) for text in told]
    content = json.dumps([tree.release, tree.version, group])
    resource: dict[str, Any] = {
        "resourceType": "ConceptMap",
        "url": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "name": "MappedDiagnoses",
        "title": f"Free-text diagnoses mapped to {tree.descriptor.shown}",
        "status": "active" if told and all(text.reviewed for text in told) else "draft",
        "date": datetime.date.today().isoformat(),
        "description": f"Made with dxjudge {version('dxjudge')}.",
        f"{names[0]}Uri": f"{TEXTS}all",
        f"{names[1]}Uri": system,
    }
    if told:
        resource["group"] = [group]
    file.write(json.dumps(resource, ensure_ascii=False, indent=1).encode() + b"\n")


def _element(text: MappedText, fhir: Version) -> dict[str, Any]:
    element: dict[str, Any] = {"code": text.id, "display": text.mapping.text}
    mapping = text.mapping
    relation = "equivalence" if fhir == "r4" else "relationship"
    if mapping.code is None:
        comment = mapping.reason or "no code fits"
        if fhir == "r4":
            return {**element, "target": [{relation: "unmatched", "comment": comment}]}
        return {**element, "noMap": True}
    how = f"score {mapping.score:.4f}, {mapping.decided_by}"
    target = {
        "code": mapping.code,
        "display": mapping.name,
        relation: _RELATIONS[fhir][text.relation],
        "comment": "; ".join(filter(None, (how, mapping.reason, text.note))),
    }
    beside = [
        {
            "code": further.code,
            "display": further.name,
            relation: _RELATIONS[fhir]["close"],
            "comment": f"{BESIDE} {mapping.code}: {further.why}",
        }
        for further in mapping.additional
    ]
    return {**element, "target": [target, *beside]}


def equivalence(relation: Relation) -> str:
    """Return R4's code for how a code stands to its text."""
    return _RELATIONS["r4"][relation]
