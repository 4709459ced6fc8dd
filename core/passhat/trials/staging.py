"""What an agent is called with: the case, and by its signature its tools, its user, the messages."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from passhat.case import Case
from passhat.errors import UsageError
from passhat.surroundings import Scenario
from passhat.trials.conversing import Conversation
from passhat.trials.logbook import Logbook
from passhat.trials.toolset import TrialTools
from passhat.trials.users import FixedUser, ScriptedUser, user_of

TOOLS, USER, MESSAGES = "tools", "user", "messages"


@dataclass(frozen=True)
class Wants:
    """What an agent takes beside the case, by the names of its parameters.

    Attributes:
        tools: The name of the parameter that takes the trial's tools.
        user: Whether it takes the conversation with the user, and leads it itself.
        messages: Whether it takes the messages so far, and is called once for each of the user's.
        needs_tools: Whether it cannot be called without tools.
    """

    tools: str | None = None
    user: bool = False
    messages: bool = False
    needs_tools: bool = False


def wants_of(agent: Callable[..., Any]) -> Wants:
    """What an agent takes: `tools`, `user` and `messages`, each by that name.

    A second parameter of any other name that has no default takes the tools.

    >>> wants_of(lambda case, tools, user: None)
    Wants(tools='tools', user=True, messages=False, needs_tools=True)
    >>> wants_of(lambda case, box: None).tools, wants_of(lambda case, depth=3: None).tools
    ('box', None)
    """
    try:
        parameters = list(inspect.signature(agent).parameters.values())[1:]
    except (TypeError, ValueError):  # What is built in may not say.
        return Wants()
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    names = {parameter.name: parameter for parameter in named}
    tools = names.get(TOOLS)
    if tools is None and named and named[0].name not in (USER, MESSAGES):
        first = named[0]
        if first.default is first.empty and first.kind is not first.KEYWORD_ONLY:
            tools = first
    return Wants(
        None if tools is None else tools.name,
        USER in names,
        MESSAGES in names,
        tools is not None and tools.default is tools.empty,
    )


def conversation_for(
    case: Case, wants: Wants, user: Any, seed: int, log: Logbook
) -> Conversation | None:
    """The conversation of a case with its user; None for a case that is none, or that the agent leads.

    Raises:
        UsageError: The case is a scenario, and the agent takes no user, or nobody can play it.
    """
    if case.scenario is None:
        if not (wants.user or wants.messages):
            return None
        player = FixedUser().begin(case, seed)
        return Conversation(player, case, log, capped=False)
    if not (wants.user or wants.messages):
        raise UsageError(
            f"case {case.id!r} is a scenario, which a user plays: beside the case, the agent needs a "
            "parameter `user` (it leads the conversation) or `messages` (it is called for each message)"
        )
    if user is None:
        if Scenario.of(case.scenario).advice:
            raise UsageError(
                f"case {case.id!r} has rules in words, which only a user who is a model can follow: "
                "give `user`, or write the rules as {when, say}"
            )
        user = ScriptedUser()
    return Conversation(user_of(user).begin(case, seed), case, log, capped=True)


def given(
    wants: Wants,
    case: Case,
    tools: TrialTools | None,
    conversation: Conversation | None,
) -> dict[str, Any]:
    """The arguments of an agent beside the case.

    Raises:
        UsageError: It needs tools, and there is no sandbox.
    """
    found: dict[str, Any] = {}
    if wants.tools is not None and tools is not None:
        found[wants.tools] = tools
    elif wants.needs_tools:
        raise UsageError(f"the agent takes {wants.tools}, which a sandbox gives: give `sandbox`")
    if wants.user:
        found[USER] = conversation
    if wants.messages:
        assert conversation is not None
        found[MESSAGES] = [dict(m) for m in (*conversation.before, *conversation.messages)]
    return found
