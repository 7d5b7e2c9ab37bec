"""A code that says more than the text does not come before its sibling that says the same."""

import pytest

from dxjudge.graphs.mapper import Mapper


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Pnctr wnd R hand", "S61.431"),  # not S61.441, with foreign body
        ("Puncture wound w/ FB of R hand", "S61.441"),
        ("pre-eclampsia, third trimester NEC", "O14.93"),  # not O14.13, severe
        ("severe pre-eclampsia, third trimester", "O14.13"),
        ("2nd deg burn L hand, hot oil", "T23.202"),  # not T23.262, back of hand
        ("2nd deg burn back of L hand", "T23.262"),
        ("Aspergillosis NEC", "B44.89"),  # "other" is said: not B44.9, unspecified
    ],
)
def test_what_the_text_does_not_say_is_not_first(mapper: Mapper, text: str, code: str) -> None:
    mapping = mapper.map(text)
    assert mapping.code == code
    scores = [candidate.score for candidate in mapping.candidates]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    "text",
    ["charley horse race", "tennis elbow room", "frozen shoulder of pork", "burn unit", "aneuria"],
)
def test_a_text_about_another_matter_has_a_low_score(mapper: Mapper, text: str) -> None:
    assert mapper.map(text).score < 0.5


def test_a_contact_is_no_cause_of_injury(mapper: Mapper) -> None:
    assert mapper.map("radon exposure").code == "Z77.123"  # not X39.01, exposure to radon
