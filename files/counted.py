"""Writes counts with their nouns: "1 case", "2 cases"."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with the noun that it counts.

    noun: in the singular. plural: of a noun that does not take an s.

    >>> counted(1, "row"), counted(2000, "row"), counted(2, "diagnosis", "diagnoses")
    ('1 row', '2,000 rows', '2 diagnoses')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def too_few(number: int, noun: str, least: int, what: str = "", *, plural: str = "") -> str:
    """Return the sentence that a count is too small for a number or an interval.

    noun, plural: as in `counted`. what: what the count is too small for, " for an interval".

    >>> too_few(1, "case", 10, " for an interval")
    '1 case is too few for an interval (at least 10)'
    """
    verb = "is" if number == 1 else "are"
    return f"{counted(number, noun, plural)} {verb} too few{what} (at least {least:,})"
