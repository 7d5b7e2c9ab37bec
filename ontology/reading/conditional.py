"""Read texts that say what may come or what to do: "call if chest pain", "PRN nausea".

The condition in them is not there, or not yet.
"""

import re

_LONGEST = 400  # characters of a text that are read
_TO_DO = re.compile(
    r"(?:please\s+|pls\s+)?(?:call|return|rtc|come back|notify|page|alert|contact|phone|ring|"
    r"re-?present|seek (?:care|help|medical)|go to (?:the )?(?:ed|er|a&e|hospital))\b[^;]*?"
    r"\b(?:if|when|unless|should)\b.*"
    r"|(?:if|in case of)\s+(?!i\b|my\b).*"
    r"|(?:in order )?to (?:prevent|avoid|exclude|rule out|r/o|reduce|minimi[sz]e|confirm)\b.*"
    r"|(?:q\s?\d+\s?h\w*\s+|\w+ )?(?:prn|as needed)(?:\s+for)?\s+\S.*"
    r"|(?:could|may|might|would|will) (?:become|develop|progress|evolve|turn|need|require)\b.*"
    r"|consider(?:ing)?\b.*\bif\b.*"
    r"|(?!fail|difficult|unable|inab)\w+(?: \w+)? (?:to|will) follow",
    re.IGNORECASE,
)
_POSSIBLE = re.compile(
    r"(?:(?:at|with) )?(?:(?:an? )?(?:very )?(?:high|higher|increased|low|some) )?"
    r"risks? (?:of|for)\b.*"
    r"|(?:(?:re-?)?eval(?:uat\w+)?|work-?up|w/u|assess(?:ment)?|monitor(?:ing)?|watch|looking) "
    r"for\b.*"
    r"|(?:fear(?:s|ful)?|afraid) of (?:having|getting|catching)\b.*",
    re.IGNORECASE,
)


def is_conditional(text: str) -> bool:
    """Return whether a text says what to do in a case, or what could come.

    >>> is_conditional("call if chest pain"), is_conditional("chest pain if walking")
    (True, False)
    """
    return _TO_DO.fullmatch(text[:_LONGEST].strip(" .!")) is not None


def is_possible(text: str) -> bool:
    """Return whether a text names the risk of a condition or looks for it; a few are factors.

    >>> is_possible("At risk of pressure ulcers"), is_possible("high risk pregnancy")
    (True, False)
    """
    return _POSSIBLE.fullmatch(text[:_LONGEST].strip(" .!")) is not None
