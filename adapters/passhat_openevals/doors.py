"""The doors of agentevals and openevals: called as theirs are, by our checks and by their own."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Literal

from passhat.case import Suite
from passhat.errors import PasshatError
from passhat.parity import Attempt, Door, Told, Verdict
from passhat.parity.reasons import parting
from passhat_openevals.convert import from_trace, to_trace
from passhat_openevals.evaluators import PREFIX, as_evaluator
from passhat_openevals.needs import need_openevals
from passhat_openevals.rows import OURS, Row, evaluator_for, native_row, settings_in
from passhat_openevals.settings import KEYS, Settings


def doors(suite: Suite) -> list[Door]:
    """The doors for a suite: our evaluators; and theirs where cases came with their settings."""
    named = any(_stated(case.extensions.get("openevals")) for case in suite.cases)
    return [OpenevalsDoor(), *([OwnDoor()] if named else [])]


class OpenevalsDoor:
    """Judges attempts by `as_evaluator(case)(outputs=messages)`, as agentevals is called."""

    name = "openevals"
    about = "as_evaluator(case)(outputs=messages)"
    requires: tuple[str, ...] = ()
    kind: Literal["ours", "theirs"] = "ours"
    not_carried: tuple[str, ...] = (
        "messages have no state, no times, no usage, no errors of the run and no pauses; the calls "
        "made inside a call stand beside it",
    )

    def carries(self, told: Told) -> Told:
        """The score where something was judged; the alignment with the check, not with the case."""
        judged = told.status in ("passed", "failed", "agent_error")
        status = "error" if told.status == "check_error" else told.status
        tables = () if told.key == "case" else told.tables
        text = "\n".join((told.reason or told.status, *tables))
        return Told(told.key, status, told.score if judged else None, text)

    def verdicts(self, suite: Suite, attempts: Sequence[Attempt]) -> Sequence[Verdict]:
        """What the evaluators say of each attempt."""
        held: dict[str, Any] = {}
        found: list[Verdict] = []
        for trace, case in attempts:
            if case.id not in held:
                held[case.id] = as_evaluator(case)
            messages = from_trace(trace)
            said = held[case.id](outputs=messages)
            found.append(Verdict(tuple(map(_told, said)), seen=to_trace(messages)))
        return found


def _told(result: Row) -> Told:
    key = result["key"].removeprefix(PREFIX)
    return Told(key, result["metadata"]["status"], result["score"], result["comment"])


class OwnDoor:
    """Judges attempts by their own evaluator, with the settings that the case came with."""

    name = "openevals:trajectory_match"
    about = "their own evaluator, with the settings of each row"
    requires: tuple[str, ...] = ("openevals", "agentevals")
    kind: Literal["ours", "theirs"] = "theirs"
    not_carried: tuple[str, ...] = ()

    def carries(self, told: Told) -> Told:
        """The status alone."""
        return told

    def verdicts(self, suite: Suite, attempts: Sequence[Attempt]) -> Sequence[Verdict]:
        """What their evaluator says of each attempt whose case came with settings of theirs.

        Raises:
            MissingExtraError: The library is not installed.
        """
        need_openevals()
        from langsmith import tracing_context

        with tracing_context(enabled=False):  # Theirs are traced, which sends where that is on.
            return [self._verdict(one) for one in attempts]

    def _verdict(self, attempt: Attempt) -> Verdict:
        if not _stated(attempt.case.extensions.get("openevals")):
            return Verdict()
        row, _ = native_row(attempt.case)
        stated = settings_in(row)
        if stated is None or OURS in stated:
            return Verdict(why_not="the case says something else than the settings it came with")
        evaluator = evaluator_for(row)
        settings = Settings.of(stated)
        try:
            # Their evaluators write into the messages they are given.
            said = evaluator(
                outputs=deepcopy(from_trace(attempt.trace)),
                reference_outputs=deepcopy(row.get("reference_outputs")),
            )
            score = said["score"]
            status = "passed" if score else "failed"
            reason = f"{settings.library}: {score}"
        except PasshatError:
            raise
        except Exception as error:  # Theirs raise on runs that they do not expect.
            score, status = None, "error"
            reason = f"{settings.library} raises {type(error).__name__}: {error}"
        mode = settings.trajectory_match_mode
        args = settings.tool_args_match_mode
        why = parting(settings.library, mode, args, attempt)
        reason += f" ({mode}, arguments {args})" + (f"; it {why}" if why else "")
        return Verdict(
            (Told("trajectory", status, None if score is None else float(score), reason),)
        )


def _stated(kept: Any) -> bool:
    """Whether a case came with settings of a trajectory match."""
    held = kept.get("evaluator") if isinstance(kept, dict) else None
    return isinstance(held, dict) and bool(held.keys() & set(KEYS)) and OURS not in held
