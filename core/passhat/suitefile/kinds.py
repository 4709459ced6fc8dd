"""The kinds of case that a suite should have, and how one is recognised.

A tag of that name always does, whatever its spelling: `happy path`, `happy_path`, `happy-path`.

| kind | recognised by |
|---|---|
| happy path | calls expected or a state or condition to reach, and no refusal, question or bad input |
| multi-step | two or more required calls, two or more turns, or an order (`before`) |
| read-only | calls expected, none of them in `writes`; or the check `state_unchanged` |
| should refuse | `refuse: true` |
| bad input | the tag; or an input that is empty |
| ambiguous | `clarify: true` |
| no-tool | an empty `expected_calls`, or the check `no_calls` |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from passhat.case import Case, Suite
from passhat.suitefile.stages import calls_expected, calls_required, stages_of


def missing_kinds(suite: Suite) -> Iterator[tuple[str, str]]:
    """The kinds of case that a suite has none of, each with what is missed."""
    for kind, (recognised, what) in _KINDS.items():
        if not any(_tagged(case, kind) or recognised(case) for case in suite.cases):
            unsaid = kind == "read-only" and not any(case.writes for case in suite.cases)
            hint = "; name the tools that change the world in `writes`" if unsaid else ""
            yield kind, f"no case of this kind: {what}{hint}"


def _tagged(case: Case, kind: str) -> bool:
    return any(_bare(tag) == _bare(kind) for tag in case.tags)


def _bare(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def _says(case: Case, key: str) -> bool:
    return any(getattr(stage, key) is True for stage in stages_of(case))


def _happy(case: Case) -> bool:
    aims = case.expected_final_state is not None or case.success_check is not None
    odd = _says(case, "refuse") or _says(case, "clarify") or _bad_input(case)
    return (aims or bool(calls_required(case))) and not odd


def _multi_step(case: Case) -> bool:
    return len(calls_required(case)) > 1 or len(case.turns or ()) > 1 or bool(case.before)


def _read_only(case: Case) -> bool:
    if "state_unchanged" in (case.checks or {}):
        return True
    writes, expected = case.writes or (), calls_expected(case)
    return bool(writes and expected) and not any(call.name in writes for call in expected)


def _bad_input(case: Case) -> bool:
    given = case.first_input
    return _tagged(case, "bad input") or (isinstance(given, str) and not given.strip())


def _no_tool(case: Case) -> bool:
    return "no_calls" in (case.checks or {}) or any(
        stage.expected_calls == () for stage in stages_of(case)
    )


_KINDS: dict[str, tuple[Callable[[Case], bool], str]] = {
    "happy path": (_happy, "a plain task, with the calls or the state it should lead to"),
    "multi-step": (_multi_step, "a task that takes several calls or turns"),
    "read-only": (_read_only, "a task that looks something up and changes nothing"),
    "should refuse": (lambda case: _says(case, "refuse"), "a request to turn down (refuse: true)"),
    "bad input": (_bad_input, "a request with a wrong id, a broken value (tag: bad input)"),
    "ambiguous": (
        lambda case: _says(case, "clarify"),
        "a request that lacks something to ask for (clarify: true)",
    ),
    "no-tool": (_no_tool, "a request to answer without tools (expected_calls: [])"),
}
