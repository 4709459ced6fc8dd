"""State: what changed in the world, and nothing else."""

from passhat.state.changes import Change, RecordChange, StateDiff
from passhat.state.comparing import diff
from passhat.state.expecting import Goal, Outcome, goals, outcome
from passhat.state.paths import Record
from passhat.state.replaying import replay
from passhat.state.rules import StateRules
from passhat.state.snapshots import Snapshot
from passhat.state.sources import snapshot
from passhat.state.wanted import Wanted, wanted_tree

__all__ = [
    "Change",
    "Goal",
    "Outcome",
    "Record",
    "RecordChange",
    "Snapshot",
    "StateDiff",
    "StateRules",
    "Wanted",
    "diff",
    "goals",
    "outcome",
    "replay",
    "snapshot",
    "wanted_tree",
]
