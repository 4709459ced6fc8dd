"""`pytest test_agent.py`: each case ten times over, held to three successes running."""

import pytest
from agent import NoModel, answer

import passhat


@passhat.cases("suite.yaml")
@pytest.mark.passhat(trials=10, k=3, at_least=0.6, infrastructure=NoModel)
def test_support(case, passhat_trial):
    passhat.assert_passes(answer(case.input, seed=passhat_trial), case)
