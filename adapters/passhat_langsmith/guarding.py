"""Targets and evaluators of users' own, so wrapped that nothing they do gets lost in LangSmith.

It drops a row evaluator that raises where it cannot tell the key from the source, and any summary
evaluator that raises, is async, or gives a bare number; and an async target that does not look like
one gives its coroutine as the output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial, wraps
from inspect import iscoroutine, iscoroutinefunction, isfunction
from typing import Any

from passhat.errors import PasshatError, UsageError


class Guard:
    """Wraps what a user gives, and keeps what LangSmith would hide.

    Attributes:
        broken: What summary evaluators raised, or gave that is no result.
        summarised: The keys of what the others gave.
    """

    def __init__(self) -> None:
        self.broken: list[PasshatError] = []
        self.summarised: list[str] = []
        self._is_async = False

    def need_sync(self) -> None:
        """Makes sure that the target gave no coroutine.

        Raises:
            UsageError: It did.
        """
        if self._is_async:
            raise UsageError(_ASYNC)

    def target(self, target: Any, *, awaits: bool) -> Any:
        """A target that is given a copy of its inputs; a Runnable or a graph as it is.

        Raises:
            UsageError: It can be neither called nor invoked, or is async where it may not be.
        """
        if hasattr(target, "invoke"):
            return target
        if not callable(target) or isinstance(target, type):
            raise UsageError(
                "a target is a function, a Runnable or a graph; two experiments are compared by "
                "LangSmith's own evaluate((a, b), evaluators=[as_comparator()])"
            )
        if awaits:

            @wraps(target)
            async def awaited(*args: Any, **kwargs: Any) -> Any:
                given: Any = target(*map(_copied, args), **kwargs)
                return await given if hasattr(given, "__await__") else given

            return awaited
        if _is_async(target):
            raise UsageError(_ASYNC)

        @wraps(target)
        def called(*args: Any, **kwargs: Any) -> Any:
            given = target(*map(_copied, args), **kwargs)
            if iscoroutine(given):
                given.close()
                self._is_async = True
                return None
            return given

        return called

    def rows(self, evaluators: Sequence[Any]) -> list[Any]:
        """Row evaluators whose failures have a row of their own."""
        return [one if _tells_its_keys(one) else _row(one) for one in evaluators]

    def summaries(self, evaluators: Sequence[Any]) -> list[Any]:
        """Summary evaluators that are heard of where they fail.

        Raises:
            UsageError: One is async.
        """
        for one in evaluators:
            if _is_async(one):
                raise UsageError(f"the summary evaluator {_name(one)} is async, which none may be")
        return [self._summary(one) for one in evaluators]

    def _summary(self, evaluator: Callable[..., Any]) -> Callable[..., Any]:
        name = _name(evaluator)

        def summarised(*args: Any, **kwargs: Any) -> Any:
            try:
                given = _as_results(evaluator(*args, **kwargs), name)
            except Exception as error:
                told = PasshatError(f"the summary evaluator {name} raised {error!r}")
                told.__cause__ = error
                self.broken.append(told)
                raise
            self.summarised += _keys_of(given, name)
            return given

        return _named_as(summarised, evaluator, name)


_ASYNC = "the target is async: use `await passhat_langsmith.aevaluate(...)`"


def _is_async(called: Any) -> bool:
    return iscoroutinefunction(called) or iscoroutinefunction(getattr(called, "__call__", None))  # noqa: B004  # it is looked at


def _tells_its_keys(evaluator: Any) -> bool:
    """Whether LangSmith can tell an evaluator's keys: it says them, or its source does."""
    return (
        not callable(evaluator)
        or hasattr(evaluator, "evaluate_run")
        or (isfunction(evaluator) and evaluator.__name__ != "<lambda>")
    )


def _row(evaluator: Callable[..., Any]) -> Callable[..., Any]:
    name = _name(evaluator)
    if _is_async(evaluator):

        async def awaited(*args: Any, **kwargs: Any) -> Any:
            try:
                return await evaluator(*args, **kwargs)
            except Exception as error:
                return _broken(name, error)

        return _named_as(awaited, evaluator, name)

    def judged(*args: Any, **kwargs: Any) -> Any:
        try:
            return evaluator(*args, **kwargs)
        except Exception as error:
            return _broken(name, error)

    return _named_as(judged, evaluator, name)


def _broken(name: str, error: Exception) -> dict[str, Any]:
    return {"key": name, "score": None, "comment": repr(error), "extra": {"error": True}}


def _named_as(made: Callable[..., Any], given: Any, name: str) -> Callable[..., Any]:
    wraps(given)(made)
    made.__name__ = made.__qualname__ = name
    return made


def _name(called: Any) -> str:
    while isinstance(called, partial):
        called = called.func
    return str(getattr(called, "__name__", None) or type(called).__name__)


def _as_results(given: Any, name: str) -> Any:
    """A result of a summary evaluator in a form that LangSmith keeps, whatever its arguments."""
    from langsmith.evaluation import EvaluationResult

    if isinstance(given, bool | int | float):
        return {"key": name, "score": given}
    if isinstance(given, str):
        return {"key": name, "value": given}
    if isinstance(given, list) and given:
        return {
            "results": [EvaluationResult(**one) if isinstance(one, dict) else one for one in given]
        }
    if not given or not isinstance(given, dict | EvaluationResult):
        raise TypeError(f"it gave {given!r}, which is no result")
    return given


def _keys_of(given: Any, name: str) -> list[str]:
    """The keys of what a summary evaluator gave, as LangSmith makes them."""
    listed = given["results"] if isinstance(given, dict) and "results" in given else [given]
    keys = [one.get("key") if isinstance(one, dict) else one.key for one in listed]
    return [str(key or name) for key in keys]


def _copied(value: Any) -> Any:
    """A copy, so that what a target does to its inputs reaches no other trial, where there can be one."""
    try:
        return deepcopy(value)
    except Exception:  # A lock or a socket, in inputs that only this process has.
        return value
