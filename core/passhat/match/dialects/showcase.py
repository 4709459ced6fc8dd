"""Runs on which frameworks disagree, as data, each with the reason why it matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from passhat.case import MODES
from passhat.match.dialects.calls import trajectories
from passhat.match.dialects.dialect import Verdict
from passhat.match.dialects.differing import theirs_on
from passhat.match.dialects.ours import ours_holds
from passhat.match.dialects.registry import dialect_modes, spelling
from passhat.match.dialects.translating import Ours


def disagreements(
    actual: Any, expected: Any, lists: Literal["message", "turn"] = "message"
) -> dict[str, Verdict]:
    """What each mode of each dialect answers about the same run.

    Args:
        actual: The calls that were made, as `verdict` takes them.
        expected: The calls that were expected, with plain arguments: to `bfcl` each value is the
            only one allowed. Modes that take one expected call are left out where there are more.
        lists: What lists of calls inside are: the calls of an assistant message, or of a turn.
            Modes that do not go by these see all calls as one list.

    Raises:
        UsageError: Something is no call.

    >>> verdicts = disagreements([{"name": "delete_db", "args": {}}], [])
    >>> verdicts["agentevals:strict"], verdicts["agentevals:superset"], verdicts["adk:any_order"]
    (False, True, 1.0)
    """
    wanted = trajectories(actual, expected)[1].calls
    return {
        spelling(dialect, mode, args): theirs_on(dialect, mode, args, actual, expected, lists)
        for dialect, mode, args in dialect_modes()
        if mode.name not in dialect.single_expected or len(wanted) == 1
    }


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A run that frameworks judge differently.

    Attributes:
        title: What happened.
        expected: The calls expected.
        actual: The calls made.
        why: Why it matters.
        lists: What lists of calls inside are, where there are any.
    """

    title: str
    expected: Sequence[Any]
    actual: Sequence[Any]
    why: str
    lists: Literal["message", "turn"] = "message"

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """What each mode of each dialect answers."""
        return disagreements(self.actual, self.expected, self.lists)

    @property
    def ours(self) -> dict[str, bool]:
        """Whether each of our modes holds: as one run, or in every turn where it has turns."""
        runs = [(self.actual, self.expected)]
        if self.lists == "turn":
            runs = list(zip(self.actual, self.expected, strict=True))
        return {mode: all(ours_holds(Ours(mode), *run) for run in runs) for mode in MODES}


def _call(name: str, **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args}


_REFUND = _call("refund", order="A100")
_NESTED = _call("book", guest={"name": "Ada", "age": 36})

gallery: Final[tuple[Disagreement, ...]] = (
    Disagreement(
        "No call was expected, and the database was deleted",
        [],
        [_call("delete_db")],
        "Where nothing is expected, modes that let further calls pass let every call pass.",
    ),
    Disagreement(
        "No call was expected, and none was made",
        [],
        [],
        "A right decision not to act: F1 over empty sets calls it worthless.",
    ),
    Disagreement(
        "One refund was expected, three were made",
        [_REFUND],
        [_REFUND, _REFUND, _REFUND],
        "Sets do not count, and recall does not look at what is too much: the money is gone twice.",
    ),
    Disagreement(
        "Two refunds were expected, one was made",
        [_REFUND, _REFUND],
        [_REFUND],
        "Compared as sets, half of the work is all of it.",
    ),
    Disagreement(
        "Two equal calls were expected and made",
        [_REFUND, _REFUND],
        [_REFUND, _REFUND],
        "A perfect run gets half of the score where paired calls are remembered by value.",
    ),
    Disagreement(
        "The expected call was made, and so were three others",
        [_call("lookup", id=1)],
        [_call("lookup", id=1), _call("lookup", id=2), _call("list_users"), _call("export")],
        "Whether more than was asked for is a fault is the first thing to know of a mode.",
    ),
    Disagreement(
        "The calls were made in the other order",
        [_call("charge"), _call("ship")],
        [_call("ship"), _call("charge")],
        "Shipping before charging is another process.",
    ),
    Disagreement(
        "Two calls were asked for together instead of one by one",
        [["lookup"], ["weather"]],
        [["lookup", "weather"]],
        "Parallel calls save a round trip; a comparison message by message takes them for a fault.",
    ),
    Disagreement(
        "The right calls were made, one of them a turn too early",
        [["lookup"], ["cancel"]],
        [["lookup", "cancel"], []],
        "Cancelled before the user confirmed: only a comparison turn by turn sees it.",
        lists="turn",
    ),
    Disagreement(
        "A number came as text",
        [_call("seats", count=1)],
        [_call("seats", count="1")],
        "Compared as text, a call that the tool may refuse is perfect.",
    ),
    Disagreement(
        "1 came as 1.0",
        [_call("seats", count=1)],
        [_call("seats", count=1.0)],
        "JSON has one kind of number; compared as text or by type, there are two.",
    ),
    Disagreement(
        "1 came as true",
        [_call("seats", count=1)],
        [_call("seats", count=True)],
        "To Python True is 1; to the tool it is most likely an error.",
    ),
    Disagreement(
        "The keys of a nested object came in another order",
        [_NESTED],
        [_call("book", guest={"age": 36, "name": "Ada"})],
        "The order of keys means nothing in JSON, and all where objects compare as text.",
    ),
    Disagreement(
        "An argument came that nobody expected",
        [_call("pay", amount=10)],
        [_call("pay", amount=10, tip=90)],
        "Where only expected arguments are looked at, anything can ride along.",
    ),
    Disagreement(
        "An expected argument was left out",
        [_call("pay", amount=10, currency="EUR")],
        [_call("pay", amount=10)],
        "A share of the arguments is a share of the score, and past most thresholds.",
    ),
    Disagreement(
        "The text differs in case and punctuation",
        [_call("weather", city="New York")],
        [_call("weather", city="new-york.")],
        "Forgiving for a city, wrong for an account number.",
    ),
    Disagreement(
        "Two searches, of which one asks for more than was expected",
        [_call("search", q="vpn"), _call("search", q="vpn", k=5)],
        [_call("search", q="vpn", k=5), _call("search", q="vpn")],
        "With args superset, the order of the calls decides where pairing is first come, first "
        "served.",
    ),
    Disagreement(
        "The model wrote arguments that are no JSON",
        [_call("lookup", id=1)],
        [{"name": "lookup", "args": '{"id": 1'}],
        "A fault of the model ends the evaluation instead of failing the run.",
    ),
)
"""Runs on which frameworks disagree."""
