"""Read texts that say what may come or what to do: "call if chest pain", "PRN nausea".

The condition in them is not there, or not yet.
"""

import re

from .normalise import LONGEST

_WHO = (
    r"(?:(?:your|the|an?) )?(?:us|ed|er|a&e|hospital|clinic|office|gp|md|dr|doctor|pcp|provider|"
    r"nurse|team)"
)
# "Return", "contact" and the like are nouns too: "Contact urticaria when exposed to latex".
_ASK = (
    rf"(?:call|rtc|come back|notify|re-?present|seek (?:care|help|medical)|go to {_WHO}|"
    rf"(?:return|page|alert|contact|phone|ring)(?=\s+(?:to )?{_WHO}\b)|"
    r"return(?=\s+(?:immediately|sooner|asap)\b)|"
    r"(?:return|page|contact|phone|ring)(?=\s+if\b)|return(?=\s+(?:when|unless|should)\b))"
)
_DO = r"(?:call|return|go|come|seek|notify|ring|contact|give|take|start|stop|hold|repeat|consider)"
_TO_DO = re.compile(
    rf"(?:please\s+|pls\s+)?{_ASK}\b[^;]*?\b(?:if|when|unless|should)\b.*"
    # "If standing, dizzy" is a complaint: a leading "if" has little after it, or what to do.
    rf"|if\s+(?!i\b|my\b)(?:\w+(?: \w+)?|.*[\s,]{_DO}\b.*)"
    r"|in case of\s+.*"
    r"|(?:in order )?to (?:prevent|avoid|exclude|rule out|r/o|reduce|minimi[sz]e|confirm)\b.*"
    r"|(?:q\s?\d+\s?h\w*\s+)?(?:prn|as needed)(?:\s+for)?\s+\S.*"
    r"|(?:could|may|might|would|will) (?:become|develop|progress|evolve|turn|need|require)\b.*"
    r"|consider\b.*\bif\b.*"
    r"|(?!.*\b(?:fail|difficult|unable|inab|able|refus|struggl))\w+(?: \w+)? (?:to|will) follow",
    re.IGNORECASE,
)
_AS_NEEDED = re.compile(r"(\w+) (?:prn|as needed)(?:\s+for)?\s+\S.*", re.IGNORECASE)
_POSSIBLE = re.compile(
    r"(?:(?:at|with) )?(?:(?:an? )?(?:very )?(?:high|higher|increased|low|some) )?"
    r"risks? (?:of|for)\b.*"
    r"|(?:(?:re-?)?eval(?:uat\w+)?|work-?up|w/u|assess(?:ment)?|monitor(?:ing)?|watch|looking) "
    r"for\b(?!.*\b(?:show\w*|found|finds|reveal\w*|demonstrat\w+|confirm\w*|positive|pos)\b).*"
    r"|(?:fear(?:s|ful)?|afraid) of (?:having|getting|catching)\b.*",
    re.IGNORECASE,
)


def is_conditional(text: str) -> bool:
    """Return whether a text says what to do in a case, or what could come.

    >>> is_conditional("call if chest pain"), is_conditional("chest pain if walking")
    (True, False)
    """
    return _TO_DO.fullmatch(text[:LONGEST].strip(" .!")) is not None


def taken_as_needed(text: str) -> str:
    """Return the word before "PRN", which is a drug or what the drug is for; "" without one.

    >>> taken_as_needed("albuterol prn wheezing"), taken_as_needed("wheezing prn albuterol")
    ('albuterol', 'wheezing')
    """
    match = _AS_NEEDED.fullmatch(text[:LONGEST].strip(" .!"))
    return match[1] if match else ""


def is_possible(text: str) -> bool:
    """Return whether a text names the risk of a condition or looks for it; a few are factors.

    >>> is_possible("At risk of pressure ulcers"), is_possible("high risk pregnancy")
    (True, False)
    """
    return _POSSIBLE.fullmatch(text[:LONGEST].strip(" .!")) is not None
