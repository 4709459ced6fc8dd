"""Reliability over many trials: estimators, their intervals, and what it takes to be sure.

Everything takes counts in the order `(n, c, k)`: trials, passes, draws.
"""

from passhat.reliability.agreement import Kappa, cohen_kappa
from passhat.reliability.attacks import AttackRate, attack_success
from passhat.reliability.bootstrap import bca_interval, percentile_interval
from passhat.reliability.confusion import Confusion, Mistake
from passhat.reliability.counts import Counts, CountsLike
from passhat.reliability.differences import (
    agresti_caffo,
    newcombe,
    score_difference,
    wald_difference,
)
from passhat.reliability.efficiency import Efficiency, Spread
from passhat.reliability.estimators import (
    iid_pass_at_k,
    iid_pass_hat_k,
    mean_pass_at_k,
    mean_pass_hat_k,
    pass_at_k,
    pass_hat_k,
)
from passhat.reliability.failure_labels import FailureLabel, FailureLabels, read_labels
from passhat.reliability.faulted import FaultRate, FaultSummary
from passhat.reliability.intervals import (
    Interval,
    agresti_coull,
    clopper_pearson,
    jeffreys,
    rule_of_three,
    wald,
    wilson,
    zero_failures_bound,
)
from passhat.reliability.label_scores import Averages, FloorCheck, LabelScores
from passhat.reliability.labels import LabelTable, Refusals
from passhat.reliability.ledger import LeftOut, Sensitivity, Unread
from passhat.reliability.mean_intervals import (
    effective_size,
    interval_pass_at_k,
    interval_pass_hat_k,
)
from passhat.reliability.multilabel import MultiLabelConfusion
from passhat.reliability.paired import McNemar, mcnemar, sign_flip_p
from passhat.reliability.parting import ToolParting
from passhat.reliability.planning import (
    binomial_tail,
    cases_needed,
    few_cases_warning,
    half_width,
    trials_needed,
    zero_failures_needed,
)
from passhat.reliability.rates import CheckCounts, Rate
from passhat.reliability.results import (
    Results,
    TrialWriter,
    read_results,
    read_trials,
    results_writer,
)
from passhat.reliability.sequential import LineTest
from passhat.reliability.summariser import Summariser
from passhat.reliability.summary import (
    SUMMARY_SCHEMA,
    CaseSummary,
    PartingPoint,
    Summary,
    TagSummary,
)

__all__ = [
    "SUMMARY_SCHEMA",
    "AttackRate",
    "Averages",
    "CaseSummary",
    "CheckCounts",
    "Confusion",
    "Counts",
    "CountsLike",
    "Efficiency",
    "FailureLabel",
    "FailureLabels",
    "FaultRate",
    "FaultSummary",
    "FloorCheck",
    "Interval",
    "Kappa",
    "LabelScores",
    "LabelTable",
    "LeftOut",
    "LineTest",
    "McNemar",
    "Mistake",
    "MultiLabelConfusion",
    "PartingPoint",
    "Rate",
    "Refusals",
    "Results",
    "Sensitivity",
    "Spread",
    "Summariser",
    "Summary",
    "TagSummary",
    "ToolParting",
    "TrialWriter",
    "Unread",
    "agresti_caffo",
    "agresti_coull",
    "attack_success",
    "bca_interval",
    "binomial_tail",
    "cases_needed",
    "clopper_pearson",
    "cohen_kappa",
    "effective_size",
    "few_cases_warning",
    "half_width",
    "iid_pass_at_k",
    "iid_pass_hat_k",
    "interval_pass_at_k",
    "interval_pass_hat_k",
    "jeffreys",
    "mcnemar",
    "mean_pass_at_k",
    "mean_pass_hat_k",
    "newcombe",
    "pass_at_k",
    "pass_hat_k",
    "percentile_interval",
    "read_labels",
    "read_results",
    "read_trials",
    "results_writer",
    "rule_of_three",
    "score_difference",
    "sign_flip_p",
    "trials_needed",
    "wald",
    "wald_difference",
    "wilson",
    "zero_failures_bound",
    "zero_failures_needed",
]
