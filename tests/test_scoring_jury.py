"""Rules by hand, and what must hold of every rule whatever the votes."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dxjudge.errors import UsageError
from dxjudge.scoring.jury import NUMERIC, RULES, JuryVerdict, Rule, combine, learn_weights
from dxjudge.scoring.votes import Vote

LETTERS = "abcdefghij"


def votes_on(*verdicts: Any, case: str = "1") -> list[Vote]:
    """Votes of judges a, b, c, …; None abstains, ... fails."""
    made = []
    for judge, verdict in zip(LETTERS, verdicts, strict=False):
        about: dict[str, Any] = {"case": case, "step": "s", "judge": judge}
        if verdict is None:
            made.append(Vote(**about, status="abstained"))
        elif verdict is ...:
            made.append(Vote(**about, status="failed"))
        else:
            made.append(Vote(**about, verdict=verdict))
    return made


def decide(rule: Rule, *verdicts: Any, **options: Any) -> JuryVerdict:
    return combine(votes_on(*verdicts), rule, **options)


@pytest.mark.parametrize(
    ("rule", "verdicts", "status", "verdict"),
    [
        ("majority", ("x", "x", "y"), "decided", "x"),  # 2 of 3 > 1.5
        ("majority", ("x", "x", "y", "y"), "tied", None),  # 2 of 4 is not more than 2
        ("majority", ("x", "x", "y", "z"), "tied", None),  # 2 of 4 again, and no tie at the top
        ("majority", ("x", "x", "y", None), "decided", "x"),  # 2 of the 3 that decide
        ("majority", ("x", "x", ..., None), "abstained", None),  # 2 decide < 3 <= 2 + 1 answer
        ("plurality", ("x", "x", "y", "z"), "decided", "x"),  # 2 > 1
        ("plurality", ("x", "x", "y", "y", "z"), "tied", None),  # 2 = 2
        ("unanimous", ("x", "x", "x"), "decided", "x"),
        ("unanimous", ("x", "x", "y"), "tied", None),
        ("unanimous", ("x", "x", None), "decided", "x"),
        ("mean", (1, 2, 6), "decided", 3.0),  # (1 + 2 + 6) / 3
        ("median", (1, 2, 6), "decided", 2),
        ("median", (1, 2, 6, 4), "decided", 3),  # (2 + 4) / 2
        ("median", (1, 2, 2, 4), "decided", 2),
        ("min", (5, 2, 3), "decided", 2),
        ("max", (5, 2, 3), "decided", 5),
    ],
)
def test_the_rules_by_hand(rule: Rule, verdicts: Any, status: str, verdict: Any) -> None:
    found = decide(rule, *verdicts)
    assert (found.status, found.verdict) == (status, verdict)


def test_a_tie_says_between_whom_and_shares_add_up() -> None:
    found = decide("plurality", "x", "y", "y", "x", "z")
    assert found.tied == ("x", "y")
    assert found.shares == (("x", 0.4), ("y", 0.4), ("z", 0.2))  # 2/5, 2/5, 1/5
    assert found.reason == "tied between x and y: x 2, y 2, z 1"
    lost = decide("majority", "x", "x", "y", "z")
    assert lost.tied == ("x", "y", "z")
    assert lost.reason == "no verdict has more than half of 4 votes: x 2, y 1, z 1"


def test_the_quorum_tells_abstentions_from_failures() -> None:
    # Of 3 votes more than half is 2: one decides, so either answers were not verdicts ...
    assert decide("majority", "x", None, None).status == "abstained"
    # ... or they were no answers at all: 1 + 0 < 2.
    found = decide("majority", "x", ..., ...)
    assert (found.status, found.done, found.failed) == ("no_quorum", 1, 2)
    assert found.reason == "1 of 3 votes decide, 0 abstain, 2 failed; the quorum is 2"
    assert decide("majority", "x", ..., ..., quorum=1).verdict == "x"
    assert decide("mean", ..., ..., 3, quorum=1).verdict == 3


def test_weights_decide_by_their_sum() -> None:
    weights = {"a": 3.0, "b": 1.0, "c": 1.5}
    found = decide("weighted", "x", "y", "y", weights=weights)
    assert found.verdict == "x"  # 3 > 1 + 1.5
    assert dict(found.shares) == {"x": 3 / 5.5, "y": 2.5 / 5.5}
    # 0.1 + 0.2 and 0.3 are one sum: a rounding error is no majority.
    tied = decide("weighted", "x", "x", "y", weights={"a": 0.1, "b": 0.2, "c": 0.3})
    assert (tied.status, tied.tied) == ("tied", ("x", "y"))
    nobody = decide("weighted", "x", "y", weights={"a": 0, "b": 0})
    assert (nobody.status, nobody.reason) == ("tied", "all who decide have the weight 0")


def test_truth_values_are_no_numbers() -> None:
    with pytest.raises(UsageError, match="the rule mean needs numbers; the verdict of b"):
        decide("mean", 1, True)
    with pytest.raises(UsageError, match="'high'"):
        decide("median", "high", 2)
    mixed = decide("plurality", True, 1, 1.0)
    assert mixed.verdict == 1 and not isinstance(mixed.verdict, bool)
    assert len(mixed.shares) == 2


@pytest.mark.parametrize(
    ("votes", "options", "told"),
    [
        ([], {}, "at least one vote"),
        (votes_on("x"), {"rule": "vote"}, "no rule 'vote'; there are majority"),
        (votes_on("x"), {"quorum": 0}, "a quorum of 0"),
        (votes_on("x") + votes_on("x", case="2"), {}, "one case in one step"),
        (votes_on("x"), {"rule": "weighted"}, "needs weights"),
        (votes_on("x"), {"rule": "weighted", "weights": {"b": 1}}, "judge a has no weight"),
        (votes_on("x"), {"rule": "weighted", "weights": {"a": -1}}, "must be 0 or more"),
    ],
)
def test_what_cannot_be_counted_is_said(votes: Any, options: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        combine(votes, **options)


def test_learnt_weights_are_smoothed_log_odds() -> None:
    truths = [True, True, False, False, True, True, False, False]
    labels: Any = {(str(n), "s"): truth for n, truth in enumerate(truths)}
    votes = []
    for n, truth in enumerate(truths):
        votes.append(Vote(str(n), "s", "good", verdict=truth if n else not truth))
        votes.append(Vote(str(n), "s", "coin", verdict=True))
        votes.append(Vote(str(n), "s", "wrong", verdict=not truth))
    votes.append(Vote("99", "s", "good", verdict=True))  # no label
    votes.append(Vote("0", "s", "coin", repeat=1, status="failed"))
    found = learn_weights(votes, labels)
    assert found["good"] == pytest.approx(math.log(8 / 2))  # p = (7 + 1) / (8 + 2) = 0.8
    assert found["coin"] == 0  # p = (4 + 1) / (8 + 2) = 0.5
    assert found["wrong"] == 0  # p = 1 / 10: log(1 / 9) < 0
    # With 4 verdicts: p = (7 + 1) / (8 + 4) = 2/3, log(2/3 * 3 / (1/3)) = log 6
    assert learn_weights(votes, labels, verdicts=4)["good"] == pytest.approx(math.log(6))
    with pytest.raises(UsageError, match="no vote of new is on a labelled case"):
        learn_weights([*votes, Vote("98", "s", "new", verdict=True)], labels)


def test_learnt_weights_find_the_expert_where_a_majority_does_not() -> None:
    """Independent judges right in 0.9, 0.6 and 0.6 of the cases.

    Weights: log 9 = 2.20 against 2 log 1.5 = 0.81: the first decides alone, right in 0.9. A
    majority is right in 0.9 (1 - 0.4 x 0.4) + 0.1 x 0.6 x 0.6 = 0.756 + 0.036 = 0.792.
    """
    chance = np.random.default_rng(1)
    right = chance.random((3000, 3)) < (0.9, 0.6, 0.6)
    truth = chance.random(3000) < 0.5
    said = right == truth[:, None]
    cases = [votes_on(*map(bool, row), case=str(n)) for n, row in enumerate(said)]
    labels: Any = {(str(n), "s"): bool(truth[n]) for n in range(1000)}
    weights = learn_weights([vote for votes in cases[:1000] for vote in votes], labels)
    scores: dict[Rule, float] = {}
    rules: tuple[Rule, ...] = ("majority", "weighted")
    for rule in rules:
        kinds: Any = {"weights": weights} if rule == "weighted" else {}
        found = [combine(votes, rule, **kinds).verdict for votes in cases[1000:]]
        scores[rule] = float(
            np.mean([one is bool(t) for one, t in zip(found, truth[1000:], strict=True)])
        )
    assert scores["weighted"] == pytest.approx(0.9, abs=0.02)  # 3 standard errors: 0.020
    assert scores["majority"] == pytest.approx(0.792, abs=0.028)  # and 0.027


CAST = st.lists(st.sampled_from(["x", "y", "z", None, ...]), min_size=1, max_size=9)
GRADES = st.lists(st.sampled_from([0, 2, 3, 4, 5, 2.5, None, ...]), min_size=1, max_size=9)
WEIGHTS = st.lists(st.floats(0, 5), min_size=10, max_size=10)


def decided(votes: list[Vote], rule: Rule, weights: list[float], quorum: int | None) -> Any:
    by_judge = dict(zip(LETTERS, weights, strict=True)) if rule == "weighted" else None
    return combine(votes, rule, weights=by_judge, quorum=quorum)


@given(st.sampled_from(RULES), CAST, GRADES, WEIGHTS, st.none() | st.integers(1, 5), st.randoms())
def test_no_order_of_the_votes_changes_anything(
    rule: Rule, texts: Any, grades: Any, weights: list[float], quorum: int | None, chance: Any
) -> None:
    votes = votes_on(*(grades if rule in NUMERIC else texts))
    found = decided(votes, rule, weights, quorum)
    shuffled = list(votes)
    chance.shuffle(shuffled)
    assert decided(shuffled, rule, weights, quorum) == found


@given(CAST, st.none() | st.integers(1, 5))
def test_who_is_unanimous_has_a_majority_and_who_has_one_a_plurality(
    cast: Any, quorum: int | None
) -> None:
    unanimous, majority, plurality = (
        decide(rule, *cast, quorum=quorum) for rule in ("unanimous", "majority", "plurality")
    )
    if unanimous.status == "decided":
        assert majority.verdict == unanimous.verdict
    if majority.status == "decided":
        assert plurality.verdict == majority.verdict
    equal = decide("weighted", *cast, quorum=quorum, weights=dict.fromkeys(LETTERS, 2.0))
    assert (equal.status, equal.verdict) == (plurality.status, plurality.verdict)


@given(GRADES)
def test_calculated_verdicts_lie_between_the_least_and_the_greatest(cast: Any) -> None:
    numbers = [one for one in cast if isinstance(one, int | float)]
    assume(numbers)
    found = {rule: decide(rule, *cast, quorum=1).verdict for rule in NUMERIC}
    assert found["min"] == min(numbers) and found["max"] == max(numbers)
    for rule in ("mean", "median"):
        assert min(numbers) - 1e-9 <= float(found[rule] or 0) <= max(numbers) + 1e-9


@given(CAST, st.none() | st.integers(1, 5))
def test_the_status_says_what_there_is(cast: Any, quorum: int | None) -> None:
    found = decide("plurality", *cast, quorum=quorum)
    assert (found.verdict is not None) == (found.status == "decided")
    assert (len(found.tied) > 1) == (found.status == "tied")
    assert bool(found.reason) == (found.status != "decided")
    assert found.done + found.abstained + found.failed == len(cast)
    assert not found.shares or math.isclose(sum(share for _, share in found.shares), 1)


def test_the_examples_in_docstrings_run() -> None:
    import doctest

    from dxjudge.scoring import jury, votes

    for module in (jury, votes):
        assert doctest.testmod(module).failed == 0


def test_a_median_that_two_judges_wrote_is_written_like_theirs() -> None:
    assert repr(decide("median", 2, 2).verdict) == "2"  # not 2.0, beside a row of 2, 2, 3 with 2
    assert repr(decide("median", 1, 2).verdict) == "1.5"
