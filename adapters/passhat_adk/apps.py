"""The app to run: an agent, an app or a module, with the plugin that records it."""

from __future__ import annotations

import inspect
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from passhat.errors import UsageError
from passhat_adk.needs import need_adk

if TYPE_CHECKING:
    from google.adk.apps.app import App


async def app_for(source: Any, name: str = "passhat") -> App:
    """The app of an agent, a module (or its dotted name) or an app, with `TracePlugin` in it.

    What is given stays as it is; the app is a copy. A module is read as ADK reads it: its `agent`
    or itself, with `app`, `root_agent` or `get_agent_async`.

    Args:
        source: The agent, app, module or dotted name.
        name: The app's name, where an agent comes without one.

    Raises:
        UsageError: There is no agent.
        MissingExtraError: ADK is not installed.
    """
    need_adk()
    from google.adk.apps.app import App

    from passhat_adk.plugin import TracePlugin

    found = await _agent_in(source)
    if not isinstance(found, App):
        return App(name=name, root_agent=found, plugins=[TracePlugin()])
    if any(isinstance(plugin, TracePlugin) for plugin in found.plugins):
        return found
    return found.model_copy(update={"plugins": [*found.plugins, TracePlugin()]})


async def _agent_in(source: Any) -> Any:
    from google.adk.agents.base_agent import BaseAgent
    from google.adk.apps.app import App

    if isinstance(source, str):
        try:
            source = import_module(source)
        except ImportError as error:
            raise UsageError(
                f"the agent's module {source!r} cannot be imported: {error}"
            ) from error
    if isinstance(source, ModuleType):
        held = getattr(source, "agent", source)
        for place in (held, source):
            if isinstance(app := getattr(place, "app", None), App):
                return app
            if (agent := getattr(place, "root_agent", None)) is not None:
                return agent
        factory = getattr(held, "get_agent_async", None)
        if not callable(factory):
            raise UsageError(
                f"the module {source.__name__} has no app, no root_agent and no get_agent_async"
            )
        made = factory()
        made = await made if inspect.isawaitable(made) else made
        return made[0] if isinstance(made, tuple) else made
    if not isinstance(source, BaseAgent | App):
        raise UsageError(
            f"an agent, an app, a module or a module's dotted name was expected, not {source!r}"
        )
    return source
