"""Two runs of a suite side by side: what differs, how surely, and in which cases."""

from passhat.compare.comparing import compare_results
from passhat.compare.comparison import (
    COMPARISON_SCHEMA,
    CaseChange,
    CasesChanged,
    Change,
    Comparison,
)
from passhat.compare.estimating import Difference, Estimate, Pairing, difference, interval
from passhat.compare.measuring import Measured, measured
from passhat.compare.metrics import Metric
from passhat.compare.pins import PinChange
from passhat.compare.sharing import Sharing
from passhat.compare.tallies import CaseTally, Tallies

__all__ = [
    "COMPARISON_SCHEMA",
    "CaseChange",
    "CaseTally",
    "CasesChanged",
    "Change",
    "Comparison",
    "Difference",
    "Estimate",
    "Measured",
    "Metric",
    "Pairing",
    "PinChange",
    "Sharing",
    "Tallies",
    "compare_results",
    "difference",
    "interval",
    "measured",
]
