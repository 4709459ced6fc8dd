"""What the evaluators share: from a run and its example to a trial."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from passhat.case import Case, Suite
from passhat.errors import PasshatError, UsageError
from passhat.grading import Grader
from passhat.grading.protocol import Check
from passhat.result import CheckResult, Trial
from passhat.trace import Trace
from passhat_langsmith.cases import LISTS, case_of, field_of
from passhat_langsmith.convert import to_trace
from passhat_langsmith.suites import case_in, cases_by_id

PREFIX = "passhat_"
CASE = f"{PREFIX}case"
"""The feedback key of the verdict on all that a case expects."""
LONGEST = 2_000
"""Characters of a comment that feedback is given."""
_EXPECTS_NOTHING = (
    "the example expects nothing: it has no keys of a case, and its reference outputs list no calls "
    f"in {', '.join(LISTS[:-1])} or {LISTS[-1]}"
)
_NOTHING = Trace("")
_encode = msgspec.json.Encoder().encode


class Judge:
    """Judges runs, each by what its example expects.

    Args:
        what: A check (its key, or an object) that is to judge every run; a suite whose cases the
            examples stand for; None for all that each example expects.
        options: The check's options.
        suite: The suite whose cases the examples stand for, where a check is to judge them.
        loaded: Whether a run of the server's without runs inside is known to have none.

    Raises:
        UsageError: There is no such check, or it has no such option.
    """

    def __init__(
        self,
        what: str | Check | Suite | None,
        options: Mapping[str, Any],
        suite: Suite | None = None,
        *,
        loaded: bool = False,
    ) -> None:
        self._loaded = loaded
        self.suite = what if isinstance(what, Suite) else suite
        self.key: str | None = None
        checks: Any = None
        if isinstance(what, str):
            self.key, checks = what, {what: options}
        elif what is not None and not isinstance(what, Suite):
            if not isinstance(what, Check):
                raise UsageError(f"a check, its key or a suite, not {type(what).__name__}")
            self.key, checks = what.key, [what]
        if options and not isinstance(what, str):
            name = next(iter(options))
            raise UsageError(f"the option {name!r} is for a check that is named by its key")
        self.cases: dict[str, Case] = {}
        self.verdicts: dict[str, Trial] = {}
        self._known = {} if self.suite is None else cases_by_id(self.suite)
        self._read: dict[bytes, Case] = {}
        self._grader = Grader(checks, inform=False)
        if checks is not None:
            self._grader.grade(_NOTHING, Case(""))  # Says now what is wrong with the options.

    def case(self, example: Any) -> Case | None:
        """The case of an example, remembered so that its plan is made once.

        Raises:
            SuiteError: What the example expects has faults.
        """
        if example is None:
            return None
        if self.suite is not None:
            return case_in(self._known, example)
        text = _written(example)
        held = self._read.get(text) if text is not None else None
        if held is None:
            fresh = case_of(example)
            known = self.cases.get(fresh.id)
            held = known if known == fresh and known is not None else fresh
            if text is not None:
                self._read[text] = held
        self.cases[held.id] = held
        return held

    def trial(
        self,
        run: Any,
        example: Any,
        number: int | None = None,
        *,
        gap: str = "",
        loaded: bool = False,
    ) -> Trial:
        """The verdict on a run; one that cannot be judged is a `check_error` with its reason.

        Args:
            run: The run.
            example: Its example.
            number: Which attempt it is.
            gap: What is known to be missing of the run, where it has no calls.
            loaded: Whether a run of the server's without runs inside is known to have none.
        """
        run_id = str(field_of(run, "id"))
        try:
            case = self.case(example)
            trace = to_trace([run] if loaded or self._loaded else run)
            if case is not None:
                trace = replace(trace, case_id=case.id)
            if gap and not trace.calls:
                trace = replace(trace, gaps=(*trace.gaps, gap))
            judged = self._grader.grade(trace, case, trial=number)
            stands = case is not None and self.suite is None and self.key is None
            if stands and judged.status == "not_evaluated" and not judged.results:
                judged = replace(judged, reason=_EXPECTS_NOTHING)
        except Exception as error:  # A run holds whatever the target did: it costs itself alone.
            why = str(error) if isinstance(error, PasshatError) else repr(error)
            judged = self.broken(run_id, example, why, number)
        self.verdicts[run_id] = judged
        return judged

    def remembered(self, run: Any, example: Any, number: int) -> Trial:
        """The verdict on a run that was judged already, else a new one."""
        held = self.verdicts.get(str(field_of(run, "id")))
        return replace(held, trial=number) if held else self.trial(run, example, number)

    def broken(self, run_id: str, example: Any, why: str, number: int | None) -> Trial:
        """The trial of a run that could not be judged."""
        key = self.key or "case"
        return Trial(
            str(field_of(example, "id")) if example is not None else None,
            number or 0,
            run_id,
            "check_error",
            (CheckResult(key, "error", None, why),),
            why,
        )


def comment_of(reason: str, status: str, tables: Iterable[str]) -> str:
    r"""What feedback says: the reason, or else the status, with tables below, as far as it is kept.

    >>> comment_of("", "passed", ["table"])
    'passed\ntable'
    """
    text = "\n".join((reason or status, *tables))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _written(example: Any) -> bytes | None:
    """All that an example says, to know it by in the next repetition; None for what is no JSON."""
    try:
        return _encode(dict(example) if isinstance(example, Mapping) else vars(example))
    except (TypeError, ValueError, RecursionError):
        return None
