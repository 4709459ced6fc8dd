"""What a run is pinned to, so that trials of two different things are never added up unawares."""

from __future__ import annotations

import inspect
import platform
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from passhat.adapter import adapters
from passhat.case import Suite
from passhat.suitefile.hashes import case_hash, suite_hash
from passhat.wording import joined

_SHORT = 16


class Pins(Struct, frozen=True):
    """What a run is pinned to.

    Attributes:
        suite: The suite's hash.
        cases: The hash of each case, by its id.
        agent: The agent's name, `module:callable`.
        source: The hash of the file in which the agent stands; empty where there is none.
        seed: The seed of the run.
        beside: The hashes of the files in which the tools of the sandbox stand, and the user.
        checks: The checks that are required instead of the cases' own.
        versions: The versions of Python, passhat and the frameworks that are installed.
        declared: What the user declared: model ids, a prompt's version.
    """

    suite: str
    cases: dict[str, str]
    agent: str
    source: str = ""
    seed: int = 0
    checks: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    declared: dict[str, Any] = field(default_factory=dict)
    beside: dict[str, str] = field(default_factory=dict)

    def differences(self, now: Pins) -> list[str]:
        """What is no longer as it was, a sentence each; empty where all is the same."""
        told: list[str] = []
        if self.suite != now.suite:
            told.append(f"the suite: {_changed(self.cases, now.cases)}")
        if self.agent != now.agent:
            told.append(f"the agent: {self.agent}, now {now.agent}")
        elif self.source != now.source:
            told.append(f"the file of the agent {self.agent} has changed")
        for what in sorted(self.beside.keys() | now.beside.keys()):
            if self.beside.get(what) != now.beside.get(what):
                told.append(f"the {what}: {_become(self.beside.get(what), now.beside.get(what))}")
        if self.seed != now.seed:
            told.append(f"the seed: {self.seed}, now {now.seed}")
        if self.checks != now.checks:
            was = ", ".join(self.checks) or "those of the cases"
            told.append(f"the checks: {was}; now {', '.join(now.checks) or 'those of the cases'}")
        for what, old, new in (
            ("version of ", self.versions, now.versions),
            ("pin ", self.declared, now.declared),
        ):
            for name in sorted(old.keys() | new.keys()):
                if old.get(name) != new.get(name):
                    was, now_is = old.get(name, "none"), new.get(name, "none")
                    told.append(f"the {what}{name}: {was}, now {now_is}")
        return told

    def of_trial(self) -> dict[str, Any]:
        """The pins as each trial carries them."""
        held: dict[str, Any] = {"agent": self.agent, "suite": self.suite, "seed": self.seed}
        if self.source:
            held["agent_source"] = self.source
        return {**held, "versions": self.versions, **self.declared}


def _become(old: str | None, new: str | None) -> str:
    if old is None or new is None:
        return "none then" if old is None else "none now"
    return "a file in which it stands has changed"


def _changed(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    groups = (
        ("changed", [name for name in new if name in old and new[name] != old[name]]),
        ("new", [name for name in new if name not in old]),
        ("gone", [name for name in old if name not in new]),
    )
    told = [f"{_some(names)} {word}" for word, names in groups if names]
    return ", ".join(told) or "what it says of all its cases has changed"


def _some(names: list[str]) -> str:
    return f"case{'s' if len(names) > 1 else ''} {joined(names)}"


def pins_of(
    suite: Suite,
    agent: Any,
    *,
    agent_name: str | None = None,
    seed: int = 0,
    checks: tuple[str, ...] = (),
    declared: Mapping[str, Any] | None = None,
    beside: Mapping[str, Any] | None = None,
) -> Pins:
    """What a run of an agent on a suite is pinned to.

    Args:
        suite: The suite.
        agent: The agent.
        agent_name: How it is called, `module:callable`; by default after its function.
        seed: The seed of the run.
        checks: The keys of the checks that are required instead of the cases' own.
        declared: What else is pinned: model ids, a prompt's version.
        beside: What takes part beside the agent, by what it is: the sandbox, the user.

    >>> pins_of(Suite("s"), print).agent
    'builtins:print'
    """
    cases = {case.id: case_hash(case) for case in suite.cases}
    return Pins(
        suite=suite_hash(suite, cases),
        cases=cases,
        agent=agent_name or name_of(agent),
        source=_source_hash(agent),
        seed=seed,
        checks=checks,
        versions=_versions(),
        declared=dict(declared or {}),
        beside={what: _hash_of(one) for what, one in (beside or {}).items() if one is not None},
    )


def name_of(agent: Any) -> str:
    """How an agent is called: the module and the name of its function, or of its class."""
    found = _function(agent)
    named = found if hasattr(found, "__qualname__") else type(found)
    return f"{named.__module__}:{named.__qualname__}"


def _function(agent: Any) -> Any:
    while hasattr(agent, "func") and not hasattr(agent, "__qualname__"):
        agent = agent.func  # A functools.partial.
    return agent


def _hash_of(one: Any) -> str:
    """The hash of the files in which a sandbox's tools and hooks stand, or a user."""
    if hasattr(one, "tools"):
        stated = one.tools
        if isinstance(stated, Mapping):
            stated = list(stated.values())
        parts = [stated] if callable(stated) else list(stated or ())
        parts += [one.reset, one.look]
    else:
        parts = [one]
    found = {_source_hash(part) for part in parts if part is not None}
    return sha256("".join(sorted(found)).encode()).hexdigest()[:_SHORT]


def _source_hash(agent: Any) -> str:
    found = _function(agent)
    with suppress(TypeError, OSError):
        kind = found if hasattr(found, "__qualname__") else type(found)
        file = inspect.getsourcefile(inspect.unwrap(kind) if callable(kind) else kind)
        if file is not None:
            return sha256(Path(file).read_bytes()).hexdigest()[:_SHORT]
    return ""


def _versions() -> dict[str, str]:
    held = {"python": platform.python_version(), "passhat": version("passhat")}
    for adapter in adapters().values():
        for requirement in adapter.requires:
            name = requirement.partition("[")[0]
            with suppress(PackageNotFoundError):
                held[name] = version(name)
    return held
