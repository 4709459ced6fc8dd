"""One verdict at every door: the same recorded runs, judged through each framework's own evaluation.

`compare_doors` gives a `ParityReport`: for each door whether it says what `passhat.grade` says, to the
last bit of status, score and reason; where not, on which run, and why. A `Door` is a way by which a
verdict comes to a user; adapters offer theirs by `DoorAdapter`.
"""

from passhat.parity.comparing import compare_doors
from passhat.parity.doors import Attempt, Door, DoorAdapter, Told, Verdict, told_of
from passhat.parity.ledger import DoorReport, Finding, ParityReport

__all__ = [
    "Attempt",
    "Door",
    "DoorAdapter",
    "DoorReport",
    "Finding",
    "ParityReport",
    "Told",
    "Verdict",
    "compare_doors",
    "told_of",
]
