"""The judges of the tutorials: rules that read two diagnoses, one strict and one lenient.

They stand in for the providers that a page names, so that a page shows what its commands print.
"""

import re
from typing import Any

from dxjudge.ontology.reading.normalise import normalise_text

from .protocol_server import Seen, say
from .scripted_medsyn import shown

PATIENTS = {
    "wheez": ["bronchial asthma", "acute exacerbation of COPD", "bronchitis", "croup", "GERD"],
    "": ["pneumonia", "bronchitis", "asthma", "tuberculosis", "influenza"],
}


def answer(seen: Seen) -> Any:
    """What the model of the request says: the same answer to the same item."""
    schema = seen.schema
    if schema is None:
        return say("Final diagnosis: gout")
    lenient = seen.wire == "anthropic" or "mini" in seen.body["model"]
    fields = schema["properties"]
    if "same_disease" in fields:
        near = likeness(shown(seen, "predicted"), shown(seen, "truth"))
        return say({"same_disease": "yes" if near >= (0.3 if lenient else 0.6) else "no"})
    if "score" in fields:
        near = likeness(shown(seen, "generated"), shown(seen, "truth"))
        score = 1 + round(4 * min(1.0, near + (0.15 if lenient else 0.0)))
        return say({"rationale": "The words of the names are compared.", "score": score})
    if "diagnoses" in fields:
        found = next(names for word, names in PATIENTS.items() if word in seen.user)
        return say({"diagnoses": found})
    return say({"diagnosis": None})


def likeness(first: str, second: str) -> float:
    """The share of the words of two diagnoses that both have, 0 to 1 (Jaccard)."""
    names = [normalise_text(text).replace("shingles", "herpes zoster") for text in (first, second)]
    words = [set(re.findall(r"\w+", name)) for name in names]
    return len(words[0] & words[1]) / max(1, len(words[0] | words[1]))
