"""What each framework's match mode means, as data: verdicts as theirs, and ours beside them.

>>> verdict("agentevals", "superset", ["search", "book"], ["book"])
True
>>> print(equivalents["adk@2.13", "any_order", "exact"])
mode superset, extra_args forbid
"""

from passhat.match.dialects.dialect import Dialect, Mode, PlainCall, Raises, Trajectory, Verdict
from passhat.match.dialects.differing import Difference, calls_text, differences, shown_on
from passhat.match.dialects.explaining import ArgsReading, Explanation, Reading, explain
from passhat.match.dialects.limits import LIMITS, Limit
from passhat.match.dialects.ours import ours_holds
from passhat.match.dialects.reaching import WAYS, parted, reached, ways_of
from passhat.match.dialects.registry import (
    DIALECTS,
    dialect_modes,
    find_dialect,
    find_mode,
    verdict,
)
from passhat.match.dialects.showcase import Disagreement, disagreements, gallery
from passhat.match.dialects.tables import gallery_markdown, table, table_markdown
from passhat.match.dialects.translating import (
    Ours,
    Translation,
    equivalents,
    translation,
)

__all__ = [
    "DIALECTS",
    "LIMITS",
    "WAYS",
    "ArgsReading",
    "Dialect",
    "Difference",
    "Disagreement",
    "Explanation",
    "Limit",
    "Mode",
    "Ours",
    "PlainCall",
    "Raises",
    "Reading",
    "Trajectory",
    "Translation",
    "Verdict",
    "calls_text",
    "dialect_modes",
    "differences",
    "disagreements",
    "equivalents",
    "explain",
    "find_dialect",
    "find_mode",
    "gallery",
    "gallery_markdown",
    "ours_holds",
    "parted",
    "reached",
    "shown_on",
    "table",
    "table_markdown",
    "translation",
    "verdict",
    "ways_of",
]
