import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from passhat.errors import EstimationError, UsageError
from passhat.reliability.corrections import adjusted

ps = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(ps)
def test_bh_is_scipys(values):
    assert adjusted(values, "bh") == pytest.approx(false_discovery_control(values).tolist())


@given(ps, st.floats(0.001, 0.5))
def test_holm_rejects_what_stepping_down_rejects(values, level):
    order = np.argsort(values, kind="stable")
    rejected = set()
    for step, at in enumerate(order):
        if values[at] * (len(values) - step) > level:
            break
        rejected.add(int(at))
    assert {at for at, p in enumerate(adjusted(values)) if p <= level} == rejected


def test_what_it_refuses():
    assert adjusted([]) == ()
    with pytest.raises(UsageError, match="no correction"):
        adjusted([0.1], "bonferroni")
    with pytest.raises(EstimationError, match=r"within 0\.\.1"):
        adjusted([1.5])
