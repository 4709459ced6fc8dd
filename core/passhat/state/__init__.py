"""State: what changed in the world, and nothing else."""

from passhat.state.changes import Change, RecordChange, StateDiff
from passhat.state.comparing import diff
from passhat.state.goals import replay
from passhat.state.paths import Record
from passhat.state.snapshots import Snapshot
from passhat.state.sources import snapshot

__all__ = [
    "Change",
    "Record",
    "RecordChange",
    "Snapshot",
    "StateDiff",
    "diff",
    "replay",
    "snapshot",
]
