"""LangSmith's door: recorded runs replayed under `langsmith.evaluate`, judged by our evaluators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import datetime, timedelta
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal
from uuid import NAMESPACE_URL, UUID, uuid5

from passhat.case import Suite
from passhat.parity import Attempt, Door, Told, Verdict
from passhat_langsmith.cases import OURS
from passhat_langsmith.convert import to_trace
from passhat_langsmith.judging import LONGEST, PREFIX, comment_of
from passhat_langsmith.writing import from_trace

if TYPE_CHECKING:
    from langsmith.run_trees import RunTree

_DIGITS = 4


def doors(suite: Suite) -> list[Door]:
    """LangSmith's doors for a suite; it has no evaluator of its own that a suite could name."""
    return [LangSmithDoor()]


class LangSmithDoor:
    """Replays attempts as trees of runs under `langsmith.evaluate`, and judges them there.

    The target opens for each recorded request and call a run of its own, under the run that
    LangSmith opened for the target. Nothing is sent: the client is offline.
    """

    name = "langsmith"
    about = "our evaluators in langsmith.evaluate, local"
    requires: tuple[str, ...] = ("langsmith",)
    kind: Literal["ours", "theirs"] = "ours"
    not_carried: tuple[str, ...] = (
        f"reasons end after {LONGEST} characters, and the server keeps {_DIGITS} places of a score",
        "runs have no state, no answers to pauses, and the times of the replay",
    )

    def carries(self, told: Told) -> Told:
        """The score where something was judged; a reason of 2,000 characters, its tables below."""
        judged = told.status in ("passed", "failed", "agent_error")
        text = comment_of(told.reason, told.status, told.tables)
        return Told(told.key, told.status, told.score if judged else None, text)

    def verdicts(self, suite: Suite, attempts: Sequence[Attempt]) -> Sequence[Verdict]:
        """What LangSmith's feedback says of each attempt.

        Raises:
            MissingExtraError: LangSmith is not installed.
        """
        # In a thread of its own: tracing that the caller has on is not inherited there.
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(_verdicts, suite, attempts).result()


def _verdicts(suite: Suite, attempts: Sequence[Attempt]) -> list[Verdict]:
    from passhat_langsmith.evaluating import evaluate

    ids = [uuid5(NAMESPACE_URL, f"passhat:parity:{at}") for at in range(len(attempts))]
    places = {str(id): at for at, id in enumerate(ids)}
    recorded = [from_trace(one.trace) for one in attempts]

    def replay(inputs: dict[str, Any]) -> Any:
        from langsmith.run_helpers import get_current_run_tree

        tree = get_current_run_tree()
        if tree is None:
            raise RuntimeError("LangSmith runs the target without a run")
        at = places[str(tree.reference_example_id)]
        return _replayed(tree, recorded[at])

    examples = [
        {
            "id": str(id),
            "inputs": runs[0]["inputs"] or {"input": None},
            "outputs": {},
            "metadata": {OURS: {"id": one.case.id}},
        }
        for id, runs, one in zip(ids, recorded, attempts, strict=True)
    ]
    with silent():
        results = evaluate(replay, examples, suite=suite, trials=1, local=True)
    found: list[Verdict] = [Verdict()] * len(attempts)
    for row in results.native:
        at = places[str(row["example"].id)]
        feedback = row["evaluation_results"]["results"]
        told = tuple(map(_told, feedback))
        found[at] = Verdict(told, seen=to_trace(row["run"]))
    return found


@contextmanager
def silent() -> Iterator[None]:
    """Without the progress that LangSmith prints, in the midst of what a command writes."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        yield


def _told(feedback: Any) -> Told:
    key = feedback.key.removeprefix(PREFIX)
    return Told(key, str(feedback.value), feedback.score, feedback.comment or "")


def _replayed(root: RunTree, runs: list[dict[str, Any]]) -> Any:
    """Opens and ends the recorded runs below the one that is open; gives the outputs of the root.

    LangSmith orders runs by their times: a run that has none, or one before that of the run beside it
    that it follows, begins just after that.

    Raises:
        Recorded: The recorded run ended in an error.
    """
    first, *rest = runs
    trees: dict[Any, RunTree] = {first["id"]: root}
    root.name = first["name"]
    root.tags = [*(root.tags or ()), *first["tags"]]
    root.add_metadata(first["extra"]["metadata"])
    known = [began for run in runs if (began := _time(run["start_time"])) is not None]
    root.start_time = _time(first["start_time"]) or min([*known, root.start_time])
    last = {first["id"]: root.start_time}
    for run in rest:
        inside = run["parent_run_id"]
        after = last[inside] + timedelta(microseconds=1)
        last[inside] = last[run["id"]] = began = max(_time(run["start_time"]) or after, after)
        tree = trees[inside].create_child(
            run["name"],
            run["run_type"],
            run_id=UUID(run["id"]),
            inputs=run["inputs"],
            outputs=run["outputs"],
            error=run.get("error"),
            start_time=began,
            end_time=max(_time(run["end_time"]) or began, began),
            extra=run["extra"],
        )
        tree.events = run.get("events") or []
        trees[run["id"]] = tree
    if first["error"] is not None:
        raise Recorded(first["error"])
    return first["outputs"]


class Recorded(Exception):
    """The error in which a recorded run ended; LangSmith writes down its representation."""

    def __repr__(self) -> str:
        return str(self)


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
