"""Which way the run took through its graph, and whom it was given to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from passhat.case import Case, Mode, expected_calls
from passhat.checks.calls import LENIENT
from passhat.checks.reading import Nested
from passhat.grading.protocol import CheckBase
from passhat.match import match_trajectory
from passhat.result import CheckResult
from passhat.trace import Message, NodeVisit, ToolCall, Trace
from passhat.wording import joined


@dataclass(frozen=True, slots=True)
class NodeTrajectory(CheckBase):
    """The nodes that were visited stand in the relation to the expected ones that the mode asks for.

    Visits are matched by name as calls are: one to one, nodes of one superstep in no order among
    themselves, a failed visit that a later one of the same node in the same turn follows up folded
    as a retry. The entry and exit that a graph marks itself (`__start__`, `__end__`) are left out.

    Args:
        expected: The nodes expected, in order; a list in the list is a group in any order.
        mode: Default `superset`; with no node expected `exact`, which is: none.
        optional: Nodes that never count against the run.
        counts: False compares as sets.
        nested: `include` judges the nodes of subgraphs too, in the order they were visited.
    """

    key: ClassVar[str] = "node_trajectory"
    needs: ClassVar[tuple[str, ...]] = ("nodes",)
    expected: tuple[str | tuple[str, ...], ...] | None = None
    mode: Mode | None = None
    optional: tuple[str, ...] = ()
    counts: bool = True
    nested: Nested = "exclude"

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether the mode holds; the score is 1 or 0."""
        if self.expected is None:
            return self.nothing("the check states no expected nodes")
        match = match_trajectory(
            _as_calls(trace, self.nested == "include"),
            expected_calls(self.expected),
            self.mode or ("superset" if self.expected else "exact"),
            optional=self.optional,
            counts=self.counts,
        )
        if match.mode in LENIENT and not match.expected:
            return self.nothing(f"no node is expected, and mode {match.mode} lets others pass")
        evidence: dict[str, Any] = {
            "mode": match.mode,
            "matched": [match.expected[pair.expected].name for pair in match.pairs],
            "missing": [node.name for node in match.missing],
            "extra": [node.name for node in match.extra],
        }
        if match.ok:
            return self.verdict(True, "", **evidence)
        return self.verdict(False, match.reason, **evidence, alignment=str(match.alignment()))


_MARKS = frozenset({"__start__", "__end__"})


def _as_calls(trace: Trace, nested: bool) -> list[ToolCall]:
    """The visits as calls: those of one superstep share a request."""
    calls: list[ToolCall] = []
    request, last = -1, None
    for visit in trace.nodes:
        if visit.node in _MARKS or (visit.path and not nested):
            continue
        step = None if visit.step is None else (visit.turn, visit.path, visit.step)
        if step is None or step != last:
            request, last = request + 1, step
        calls.append(ToolCall(visit.node, turn=visit.turn, request=request, error=visit.error))
    return calls


@dataclass(frozen=True, slots=True)
class Route(CheckBase):
    """The task was given to whom it belongs to.

    The route a run took is the first of the known labels that it came by, in order: the name of an
    agent that spoke or called a tool, of a node that was visited, or of a tool that was called;
    or else its final answer, if that is a label and nothing more. Names compare exactly.

    Where the case names one label, it must be the first that the run came by. Where it names
    several, the run must have come by all of these and no other (or, with `any_of`, first by one of
    them).

    Without `labels` only those of the case are known: then a run that went elsewhere first and came
    to the right one after all passes, and where a wrong run went is not told. Name the labels of
    the suite (`checks: {route: {labels: [...]}}`) to have them told apart.

    Evidence: `expected` and `actual`, each a list of labels, empty where the run came by none.

    Args:
        labels: The labels there are; as a mapping, each with the names of agents, nodes and tools
            that stand for it: `{billing: [billing_agent, transfer_to_billing]}`.
        any_of: Whether any one of several labels of the case will do.
    """

    key: ClassVar[str] = "route"
    needs: ClassVar[tuple[str, ...]] = ("route",)
    labels: tuple[str, ...] | dict[str, tuple[str, ...]] | None = None
    any_of: bool = False

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether it was; the score is 1 or 0."""
        stated = case.route
        expected = (stated,) if isinstance(stated, str) else tuple(stated or ())
        if not expected:
            return self.nothing("the case names no route")
        if not trace.steps:
            return self.nothing("the trace has no steps: nothing was observed")
        taken = _labels_taken(trace, self._known(expected))
        actual = taken if len(expected) > 1 and not self.any_of else taken[:1]
        evidence = {"expected": list(expected), "actual": list(actual)}
        if len(expected) > 1 and not self.any_of:
            ok = set(actual) == set(expected)
        else:
            ok = bool(actual) and actual[0] in expected
        if ok:
            return self.verdict(True, "", **evidence)
        went = joined(actual) if actual else "none that is known"
        wanted = joined(expected)
        return self.verdict(False, f"the route was {went}, expected {wanted}", **evidence)

    def _known(self, expected: tuple[str, ...]) -> dict[str, str]:
        """The names that stand for a label, each with its label."""
        if self.labels is None:
            return {label: label for label in expected}
        if isinstance(self.labels, Mapping):
            named = {name: label for label, names in self.labels.items() for name in names}
            return {**{label: label for label in (*expected, *self.labels)}, **named}
        return {label: label for label in (*expected, *self.labels)}


def _labels_taken(trace: Trace, known: Mapping[str, str]) -> tuple[str, ...]:
    """The labels that a run came by, in order, each once."""
    taken = dict.fromkeys(known[name] for name in _names(trace) if name in known)
    if not taken and trace.final_response is not None:
        answer = trace.final_response.strip().casefold()
        taken = dict.fromkeys(
            label for name, label in known.items() if name.strip().casefold() == answer
        )
    return tuple(taken)


def _names(trace: Trace) -> Iterator[str]:
    """The agents, nodes and tools of a run, in order."""
    for step in trace.steps:
        if type(step) is NodeVisit:
            yield step.node
        elif type(step) is Message or type(step) is ToolCall:
            if step.agent is not None:
                yield step.agent
            if type(step) is ToolCall:
                yield step.name
