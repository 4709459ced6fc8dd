"""Agents: named on the command line, or given; and those of frameworks made into callables."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

from passhat.adapter import adapters
from passhat.errors import PasshatError, UsageError
from passhat.trials.attempt import Agent


def agent_named(name: str) -> Agent:
    """The agent that `package.module:callable` names; its module is imported, which runs it.

    Raises:
        UsageError: The name is none, there is no such module or callable.
    """
    return as_callable(object_named(name, "--agent"), f"--agent {name}")


def object_named(name: str, option: str) -> Any:
    """What `package.module:name` names; its module is imported, which runs it.

    The current folder is looked into first, as `python -m` does.

    Args:
        name: The name.
        option: Where it was given, for messages.

    Raises:
        UsageError: The name is none, or there is no such thing.
    """
    module_name, colon, path = name.partition(":")
    if not colon or not module_name or not path:
        raise UsageError(f"{option} {name}: give package.module:name, as in shop.agents:support")
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found: Any = importlib.import_module(module_name)
    except PasshatError:
        raise
    except Exception as error:  # Whatever the module does when it is imported.
        raise UsageError(
            f"{option} {name}: importing {module_name} failed: {type(error).__name__}: {error}"
        ) from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise UsageError(f"{option} {name}: {module_name} has no {path!r}")
        found = getattr(found, part)
    return found


def as_callable(agent: Any, name: str = "the agent") -> Agent:
    """An agent as a callable: as it is, or made so by the adapter whose framework it is of.

    Raises:
        UsageError: It is neither.

    >>> as_callable(len) is len
    True
    """
    adapter = _adapter_of(agent)
    if adapter is not None:
        made: Agent = adapter.as_agent(agent)
        return made
    if callable(agent) and not isinstance(agent, type):
        return agent  # type: ignore[no-any-return]
    kind = "a class: give a function, or an instance that can be called"
    what = kind if isinstance(agent, type) else f"no callable, but {type(agent).__name__}"
    raise UsageError(
        f"{name} is {what}; an agent is a function (or async function) that takes a case, "
        "a LangGraph graph, or an ADK agent"
    )


def _adapter_of(agent: Any) -> Any:
    """The adapter that makes callables of what a framework calls an agent."""
    if isinstance(agent, type):
        return None
    modules = [kind.__module__ or "" for kind in type(agent).__mro__]
    for adapter in adapters().values():
        for prefix in getattr(adapter, "agent_modules", ()):
            if any(module == prefix or module.startswith(f"{prefix}.") for module in modules):
                return adapter
    return None
