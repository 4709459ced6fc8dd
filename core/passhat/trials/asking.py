"""What a run is asked for, checked before anything is begun."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from passhat.case import Case
from passhat.errors import UsageError
from passhat.trials.attempt import Agent
from passhat.trials.planning import trials_of
from passhat.trials.sandbox import Sandbox
from passhat.trials.staging import wants_of
from passhat.trials.users import user_of

if TYPE_CHECKING:
    from passhat.grading.planning import ChecksSpec


def checked_cases(cases: Sequence[Case]) -> None:
    """Refuses cases that cannot be run.

    Raises:
        UsageError: There are none, two have the same id, or one cannot be written down.
    """
    if not cases:
        raise UsageError("the suite has no cases, so there is nothing to run")
    name, times = Counter(case.id for case in cases).most_common(1)[0]
    if times > 1:
        raise UsageError(f"two cases are called {name!r}: their trials could not be told apart")
    for case in cases:
        _written_anywhere(case)


def _written_anywhere(case: Case) -> None:
    """Refuses a case whose trials could not be written down.

    Raises:
        UsageError: Its id or input holds half a surrogate pair.
    """
    try:
        msgspec.json.encode((case.id, case.first_input), enc_hook=repr)
    except UnicodeEncodeError as error:
        raise UsageError(
            f"case {case.id!r}: half a surrogate pair is no text, and cannot be written"
        ) from error
    except (TypeError, ValueError, RecursionError):
        return  # Then it is the agent's to make something of it.


def answers_approvals(called: Any) -> bool:
    """Whether an agent is an adapter's, which answers its framework's interrupts by the case."""
    return str(getattr(called, "__module__", "")).startswith("passhat_")


def whole_numbers(**numbers: int | None) -> None:
    """Refuses numbers, by their names, that are not whole ones from 1 on.

    Raises:
        UsageError: One is not.
    """
    for name, value in numbers.items():
        if value is not None and (not isinstance(value, int) or value < 1):
            raise UsageError(f"{name} is a whole number from 1 on, not {value!r}")


def equally_often(cases: Sequence[Case], trials: int | None) -> int:
    """How often each case is tried, where that must be the same for all.

    Raises:
        UsageError: It is not.
    """
    numbers = {trials_of(case, trials) for case in cases}
    if len(numbers) > 1:
        raise UsageError(
            "until decided, every case is tried equally often, and these ask for "
            f"{', '.join(map(str, sorted(numbers)))} trials: say how many (trials=, --trials)"
        )
    return numbers.pop()


def keys_of(checks: ChecksSpec | None) -> tuple[str, ...]:
    """The keys of checks."""
    if checks is None:
        return ()
    listed = (checks,) if isinstance(checks, str) else checks
    return tuple(check if isinstance(check, str) else str(check.key) for check in listed)


def checked_surroundings(agent: Agent, sandbox: Any, user: Any) -> None:
    """Makes sure that the sandbox and the user are such, and that there are tools for who needs them.

    Raises:
        UsageError: One is not, which would let no trial run.
    """
    if sandbox is not None and not isinstance(sandbox, Sandbox):
        raise UsageError(f"a sandbox is a passhat.Sandbox, not {sandbox!r:.100}")
    wants = wants_of(agent)
    if sandbox is None and wants.needs_tools:
        raise UsageError(f"the agent takes {wants.tools}, which a sandbox gives: give `sandbox`")
    if user is not None:
        user_of(user)
