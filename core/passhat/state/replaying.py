"""Goal states: what the reference actions leave, so that any way to the same end is as good."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any, NamedTuple, TypeAlias

from passhat.errors import Place, SuiteError, SuiteFault, UsageError
from passhat.state.changes import value_text
from passhat.state.sources import snapshot

Tool: TypeAlias = Callable[..., Any]
Tools: TypeAlias = "Mapping[str, Tool] | Callable[[Any], Mapping[str, Tool]]"


class _Action(NamedTuple):
    """A call of the reference: the tool, its arguments, and where it stands."""

    name: str
    args: Mapping[str, Any]
    place: str


def replay(
    actions: Iterable[Any],
    tools: Tools,
    initial_state: Any,
    *,
    failed: Callable[[Any], bool] | None = None,
) -> Any:
    """The state that the reference actions leave, starting from a fresh copy of the initial one.

    Give it to a case as `expected_final_state` with `state: {exact: true}`: then a run passes that
    leaves the same state, whatever way it took.

    Args:
        actions: The calls in order: names, `{name, args}` (or `kwargs`, `arguments`), pairs
            `(name, args)`, expected calls or recorded ones; a list inside is run in its order.
        tools: The tools by name: `f(state, **args)`, where the first parameter is called `state`
            and may be changed, or `f(**args)`. Or a function that makes the tools for a state,
            where they are bound to one.
        initial_state: The state before: a value, a snapshot, or what a snapshot is taken of. It
            stays as it is.
        failed: Whether a result says that the call failed, where tools say it in their results;
            `{"error": ...}` alone always does.

    Returns:
        The state after, as JSON.

    Raises:
        SuiteError: A reference action cannot be run or fails: a fault of the suite, not of an
            agent. It names the action.
        UsageError: No tool takes a state, so that nothing could change.

    >>> def cancel(state, order):
    ...     state["orders"][order]["status"] = "cancelled"
    >>> before = {"orders": {"A1": {"status": "open"}}}
    >>> replay([("cancel", {"order": "A1"})], {"cancel": cancel}, before)
    {'orders': {'A1': {'status': 'cancelled'}}}
    """
    state = snapshot(snapshot(initial_state).value).value
    bound = None if isinstance(tools, Mapping) else tools(state)
    named: Mapping[str, Tool] = tools if isinstance(tools, Mapping) else bound or {}
    if bound is None and named and not any(map(takes_state, named.values())):
        raise UsageError(
            "no tool takes a state: call the first parameter `state`, or give a function that "
            "makes the tools for a state"
        )
    for action in _read(actions):
        tool = named.get(action.name)
        if tool is None:
            raise _fault(action, f"there is no tool of that name: there are {', '.join(named)}")
        args = deepcopy(dict(action.args))  # A tool may keep them, and change what it kept.
        try:
            result = tool(state, **args) if takes_state(tool) else tool(**args)
        except (Exception, SystemExit) as error:  # A tool is anybody's code, and so its error.
            raise _fault(action, f"{type(error).__name__}: {error}") from error
        if inspect.isawaitable(result):
            raise _fault(action, "the tool is asynchronous; wrap it in one that waits for it")
        if inspect.isgenerator(result) or inspect.isasyncgen(result):
            raise _fault(
                action, "the tool is a generator, which has not run; wrap it in one that runs it"
            )
        lone = isinstance(result, Mapping) and list(result) == ["error"]
        if (lone and result["error"] is not None) or (failed is not None and failed(result)):
            raise _fault(action, f"it gives {value_text(result)}")
    return snapshot(state).value


def takes_state(tool: Tool) -> bool:
    """Whether the first parameter of a tool is called `state`."""
    try:
        names = list(inspect.signature(tool).parameters)
    except (TypeError, ValueError):  # What is built in may not say.
        return False
    return names[:1] == ["state"]


def _fault(action: _Action, said: str) -> SuiteError:
    message = f"the reference action {action.name} cannot be replayed: {said}"
    return SuiteError([SuiteFault(message, Place(path=action.place))])


def _read(actions: Iterable[Any]) -> Iterator[_Action]:
    todo = [(f"$[{index}]", action) for index, action in enumerate(actions)][::-1]
    while todo:
        place, action = todo.pop()
        pair = isinstance(action, tuple | list) and len(action) == 2 and isinstance(action[0], str)
        if pair and isinstance(action[1], Mapping):
            yield _Action(action[0], action[1], place)
        elif isinstance(action, tuple | list):
            inner = [(f"{place}[{index}]", item) for index, item in enumerate(action)]
            todo += reversed(inner)
        else:
            yield _one(action, place)


def _one(action: Any, place: str) -> _Action:
    if isinstance(action, str):
        return _Action(action, {}, place)
    keys = ("name", "args", "kwargs", "arguments")
    if isinstance(action, Mapping):
        said = {key: action.get(key) for key in keys}
    else:
        said = {key: getattr(action, key, None) for key in keys}
    name = said.pop("name")
    args: Any = next((value for value in said.values() if value is not None), {})
    if not isinstance(name, str) or not isinstance(args, Mapping):
        raise SuiteError(
            [SuiteFault(f"an action has a name and arguments, not {action!r}", Place(path=place))]
        )
    return _Action(name, args, place)
