"""State: what changed in the world, and nothing else."""

from passhat.state.changes import Change, RecordChange, StateDiff
from passhat.state.comparing import diff
from passhat.state.expecting import Outcome, outcome
from passhat.state.goals import replay
from passhat.state.paths import Record
from passhat.state.rules import StateRules
from passhat.state.snapshots import Snapshot
from passhat.state.sources import snapshot
from passhat.state.wanted import Wanted, wanted_tree

__all__ = [
    "Change",
    "Outcome",
    "Record",
    "RecordChange",
    "Snapshot",
    "StateDiff",
    "StateRules",
    "Wanted",
    "diff",
    "outcome",
    "replay",
    "snapshot",
    "wanted_tree",
]
