"""What is tallied, and that a pair which was seen before excuses nothing."""

import pytest

from passhat.errors import EstimationError
from passhat.reliability.counts import tally


def test_cases_of_the_same_counts_are_one_line():
    assert tally([(3, 1), [3, 1, "a"], (3, 2), (4, 1), (3, 1)], 1) == {
        (3, 1): 3,
        (3, 2): 1,
        (4, 1): 1,
    }


@pytest.mark.parametrize("like", [(3, True), (3, 1.0), (3.0, 1), (3, "1"), (3, [1]), ({}, 1)])
def test_what_only_looks_like_a_pair_that_was_seen_is_refused(like):
    with pytest.raises(EstimationError, match=r"case 1 \(counted from 0\): .* whole number"):
        tally([(3, 1), like], 1)
