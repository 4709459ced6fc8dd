"""The same suite at several fault rates: how pass^k falls as tools fail more often."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from passhat.case import Case, Suite
from passhat.errors import UsageError
from passhat.reliability import Results, Summary
from passhat.scoring import suite_of
from passhat.surroundings import FAULT_KINDS, Fault
from passhat.surroundings.approvals import ANY_TOOL
from passhat.surroundings.faults import PASSING
from passhat.trials.runs import run

SWEEP_SCHEMA = "passhat.sweep/1"
RATES = (0.0, 0.1, 0.2, 0.4)


class FaultPoint(Struct, frozen=True):
    """What a suite's trials come to at one fault rate.

    Attributes:
        rate: The chance with which each call of a tool is struck, 0 to 1.
        summary: What the trials come to.
    """

    rate: float
    summary: Summary


class FaultSweep(Struct, frozen=True):
    """What a suite's trials come to at several fault rates, the lowest first."""

    points: tuple[FaultPoint, ...]

    def to_dict(self) -> dict[str, Any]:
        """The sweep as JSON values, `passhat.sweep/1`."""
        return {
            "schema": SWEEP_SCHEMA,
            "points": [
                {"rate": point.rate, "summary": point.summary.to_dict()} for point in self.points
            ],
        }

    def to_json(self) -> bytes:
        """The sweep as JSON."""
        return msgspec.json.encode(self.to_dict())


def with_fault_rate(
    suite: Suite, rate: float, kinds: Sequence[str] = PASSING, tools: Iterable[str] = (ANY_TOOL,)
) -> Suite:
    """The suite with every call of a tool struck with a chance, by one of the kinds, each as likely.

    The cases' own faults stay, and go before: a call meets one fault at most. With the same seed, a
    call that is struck at one rate is struck at every higher one.

    Args:
        suite: The suite.
        rate: The chance, 0 to 1.
        kinds: The kinds of faults; by default those that pass by themselves: timeouts, 429, 500,
            broken connections.
        tools: The tools.

    Raises:
        UsageError: The rate is no chance, or there is no such kind.

    >>> suite = with_fault_rate(Suite("s", [Case("a")]), 0.2, ["timeout", "empty"])
    >>> [(fault["fault"], fault["when"]["rate"]) for fault in suite.cases[0].faults]
    [('timeout', 0.1), ('empty', 0.11111111111111112)]
    """
    if not (isinstance(rate, int | float) and 0 <= rate <= 1) or isinstance(rate, bool):
        raise UsageError(f"a fault rate is a chance from 0 to 1, not {rate!r}")
    if not kinds:
        raise UsageError(f"name at least one kind of fault: {', '.join(FAULT_KINDS)}")
    named = tuple(tools)
    share = rate / len(kinds)
    faults = [
        # Drawn one after the other: each has its share of what those before it left over.
        Fault(tool, kind, when={"rate": min(1.0, share / (1 - at * share))}).to_dict()  # type: ignore[arg-type]
        for tool in named
        for at, kind in enumerate(kinds)
        if rate > 0
    ]
    cases = [_struck(case, faults) for case in suite.cases]
    return replace(suite, cases=tuple(cases), defaults={})


def _struck(case: Case, faults: list[dict[str, Any]]) -> Case:
    return replace(case, faults=(*(case.faults or ()), *faults))


def checked_rates(rates: Iterable[float]) -> tuple[float, ...]:
    """Fault rates in order, each once.

    Raises:
        UsageError: There is none, or one is no chance.

    >>> checked_rates([0.2, 0, 0.2])
    (0.0, 0.2)
    """
    found = sorted({float(rate) for rate in rates})
    if not found:
        raise UsageError("name at least one fault rate, as in 0,.1,.2,.4")
    for rate in found:
        if not 0 <= rate <= 1:
            raise UsageError(f"a fault rate is a chance from 0 to 1, not {rate!r}")
    return tuple(found)


def fault_sweep(
    agent: Any,
    suite: Suite | str | Path,
    rates: Iterable[float] = RATES,
    *,
    kinds: Sequence[str] = PASSING,
    sandbox: Any,
    ks: Sequence[int] | None = None,
    each: Callable[[float, Results], None] | None = None,
    **options: Any,
) -> FaultSweep:
    """How pass^k falls as tools fail more often: the suite is run once at each fault rate.

    Every run has the same seed, so that the rates are compared on the same draws.

    Args:
        agent: The agent.
        suite: The suite, or its file.
        rates: The chances with which each call of a tool is struck, 0 to 1.
        kinds: What strikes it; see `with_fault_rate`.
        sandbox: The world of the tools: faults strike nothing else.
        ks: The ks of pass^k.
        each: Is given the rate and the results of each run.
        **options: What `passhat.run` takes: `trials`, `concurrency`, `seed`, ...; a `journal` is one
            for each rate (`run.journal` becomes `run.faults-0.1.journal`).

    Raises:
        UsageError: A rate is no chance, there is no sandbox, or `passhat.run` cannot be called so.
        InputError: The suite cannot be read.
        SuiteError: The suite has faults.

    >>> from passhat.trials.sandbox import Sandbox
    >>> def agent(case, tools):
    ...     return tools.answer("ping")
    >>> suite = Suite("s", [Case("a", "ping", response={"equals": "pong"})])
    >>> sweep = fault_sweep(agent, suite, [0, 1], trials=4, sandbox=Sandbox({"ping": lambda: "pong"}))
    >>> [(point.rate, point.summary.pass_hat_k[1]) for point in sweep.points]
    [(0.0, 1.0), (1.0, 0.0)]
    """
    if sandbox is None:
        raise UsageError("faults strike the tools of a sandbox: give one")
    known, _, _ = suite_of(suite, allow_code=bool(options.get("allow_code", False)))
    journal = options.pop("journal", None)
    points = []
    for rate, struck in [
        (rate, with_fault_rate(known, rate, kinds)) for rate in checked_rates(rates)
    ]:
        own = None if journal is None else beside(journal, rate)
        results = run(agent, struck, sandbox=sandbox, journal=own, **options)
        if each is not None:
            each(rate, results)
        points.append(FaultPoint(rate, results.summary(ks)))
    return FaultSweep(tuple(points))


def beside(path: str | Path, rate: float) -> str:
    """The file of one rate, beside the one that was named for all.

    >>> beside("out/results.jsonl", 0.1)
    'out/results.faults-0.1.jsonl'
    """
    file = Path(path)
    return str(file.with_name(f"{file.stem}.faults-{rate:g}{file.suffix}"))
