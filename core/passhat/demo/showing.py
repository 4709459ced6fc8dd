"""One agent in every framework that is installed: who plays it, and what each attempt came to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol, runtime_checkable

from passhat.adapter import Adapter, adapters, missing
from passhat.case import Case, Suite
from passhat.demo.desk import TOOLS, Script, answered
from passhat.reliability import Results
from passhat.trace import Trace, decode_trace
from passhat.trials.runs import Run
from passhat.trials.sandbox import Sandbox


@runtime_checkable
class DemoAdapter(Adapter, Protocol):
    """An adapter that plays the refund desk in its framework."""

    def demo(self, suite: Suite, trials: int) -> Demo:
        """Every case n times, by an agent of the framework that follows the script."""
        ...


@dataclass(frozen=True, slots=True)
class Demo:
    """What the agent did in one framework.

    Attributes:
        name: The framework, and what the agent is there.
        results: What each attempt came to.
        traces: The traces with their states; none where the framework records no states.
    """

    name: str
    results: Results
    traces: tuple[Trace, ...] = ()


def demos(suite: Suite, trials: int) -> tuple[list[Demo], list[tuple[str, str]]]:
    """The agent in each framework that is installed, else as a plain function.

    Returns:
        What it did, framework by framework; and the frameworks that are not installed, each with
        the line that installs it.
    """
    found: list[Demo] = []
    absent: list[tuple[str, str]] = []
    for name, adapter in adapters().items():
        if not isinstance(adapter, DemoAdapter):
            continue
        if missing(adapter):
            absent.append((name, f"pip install 'passhat[{name}]'"))
        else:
            found.append(adapter.demo(suite, trials))
    if not found:
        found.append(plain_demo(suite, trials))
    return found, absent


def plain_demo(suite: Suite, trials: int) -> Demo:
    """The agent as a plain function that passhat runs."""
    script = Script()

    def agent(case: Case, tools: dict[str, object]) -> list[object]:
        return answered(script, str(case.input), tools)  # type: ignore[arg-type]

    return played("plain Python", agent, suite, trials)


def played(name: str, agent: object, suite: Suite, trials: int) -> Demo:
    """An agent that `passhat.run` takes, on every case n times, one attempt after the other."""
    sandbox = Sandbox(list(TOOLS))
    with TemporaryDirectory(prefix="passhat-") as folder:
        journal = Path(folder) / "journal.db"
        with Run(
            agent, suite, trials=trials, sandbox=sandbox, concurrency=1, journal=journal
        ) as running:
            running.play()
            results = Results(tuple(running.results()), suite, about=running.about)
            return Demo(name, results, tuple(map(decode_trace, running.traces())))
