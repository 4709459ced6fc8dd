"""What the shape of a suite alone does not tell: names that lead nowhere, expressions that do not compile."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from passhat.case import POLICY_NAMES
from passhat.errors import UsageError
from passhat.expressions import compile_expression
from passhat.grading.catalogue import build_check
from passhat.state import StateRules, wanted_tree
from passhat.suitefile.document import Document, Steps
from passhat.suitefile.folders import inside
from passhat.suitefile.matchfaults import by_argument_faults, by_tool_faults
from passhat.suitefile.owncode import is_dotted, own_check
from passhat.suitefile.rowshapes import Notes
from passhat.suitefile.shapefaults import nearest
from passhat.suitefile.toolforms import tool_schemas
from passhat.surroundings import approvals_of, fault_problems, scenario_problems
from passhat.values.schemas import schema_faults

_PAIR_NAMES = ("a", "b")
_JSON_OPTIONS = frozenset({"equals", "contains", "schema"})
_EMPTY_TEXTS = {
    "includes": "tests nothing",
    "excludes": "lets no run pass",
    "matches": "tests nothing",
}
"""What comes of an empty text under the keys of `response`."""


def meaning_faults(document: Document, notes: Notes, *, allow_code: bool = False) -> None:
    """Notes in the document every fault of its meaning, in the parts whose shape is sound.

    On the way tools become `{name: schema}`, checks of the user's own their keys, and paths
    absolute.
    """
    _Reader(document, notes, allow_code).suite()


class _Reader:
    def __init__(self, document: Document, notes: Notes, allow_code: bool) -> None:
        self.document = document
        self.notes = notes
        self.allow_code = allow_code
        self.own: dict[str, str | None] = {}

    def suite(self) -> None:
        suite = self.document.value
        if not isinstance(suite, dict):
            return
        defaults = suite.get("defaults", {})
        defaults = defaults if isinstance(defaults, dict) else {}
        self._tools((), suite)
        self._tools(("defaults",), defaults)
        catalogue = suite.get("tools", defaults.get("tools"))
        self._names((), suite, ("writes",), catalogue)
        self._checks((), suite)
        self._stated(("defaults",), defaults, catalogue)
        first: dict[str, int] = {}
        cases = suite.get("cases")
        for index, case in enumerate(cases if isinstance(cases, list) else ()):
            if not isinstance(case, dict):
                continue
            steps = ("cases", index)
            self._id(steps, case, first, index)
            self._tools(steps, case)
            self._stated(steps, case, case.get("tools", catalogue))

    def _id(self, steps: Steps, case: dict[str, Any], first: dict[str, int], index: int) -> None:
        name = case.get("id")
        if isinstance(name, str):
            if name in first:
                self.document.fault(
                    (*steps, "id"), f"{name!r} is the id of cases[{first[name]}] too"
                )
            first.setdefault(name, index)

    def _tools(self, steps: Steps, stated: dict[str, Any]) -> None:
        here = (*steps, "tools")
        if "tools" in stated:
            if self.document.sound(here):
                stated["tools"] = tool_schemas(self.document, here, stated["tools"], self.notes)
            else:
                del stated["tools"]

    def _stated(self, steps: Steps, stated: dict[str, Any], catalogue: Any) -> None:
        """A case, a turn, or the defaults: whatever states expectations."""
        for name in ("expected_calls", "forbidden_calls"):
            if isinstance(stated.get(name), list):
                self._expected((*steps, name), stated[name], catalogue)
        if "before" in stated and self.document.sound((*steps, "before")):
            self._before((*steps, "before"), stated["before"], catalogue)
        self._names(steps, stated, ("optional_calls", "writes", "requires_approval"), catalogue)
        self._match(steps, stated, catalogue)
        self._response(steps, stated)
        self._expressions(steps, stated)
        self._state(steps, stated)
        self._checks(steps, stated)
        if "turns" not in steps:
            self._surroundings(steps, stated, catalogue)
        state = stated.get("initial_state")
        if isinstance(state, str) and self.document.sound((*steps, "initial_state")):
            self._path((*steps, "initial_state"), stated, state)
        turns = stated.get("turns")
        for index, turn in enumerate(turns if isinstance(turns, list) else ()):
            if isinstance(turn, dict):
                self._turn((*steps, "turns", index), turn, catalogue)

    def _turn(self, steps: Steps, turn: dict[str, Any], catalogue: Any) -> None:
        self._stated(steps, turn, catalogue)
        checks = turn.get("checks")
        for key, options in checks.items() if isinstance(checks, dict) else ():
            if isinstance(options, dict) and "required" in options:
                self.document.fault(
                    (*steps, "checks", key, "required"), "is said for the case, not for a turn"
                )

    def _expected(self, steps: Steps, entries: list[Any], catalogue: Any) -> None:
        for index, entry in enumerate(entries):
            here = (*steps, index)
            if isinstance(entry, list):
                if not entry:
                    self.document.fault(here, "a group of no calls says nothing, leave it out")
                self._expected(here, entry, catalogue)
            elif self.document.sound(here):
                self._call(here, entry, catalogue)

    def _call(self, steps: Steps, entry: Any, catalogue: Any) -> None:
        written = isinstance(entry, dict)
        name = entry.get("name") if written else entry
        if not isinstance(name, str):
            return  # It stands where no call can, in a group within a group: that is told of the outer.
        self._tool((*steps, "name") if written else steps, name, catalogue)
        if written and "match" in entry:
            self._all(by_argument_faults(entry["match"], (*steps, "match")))
            self._arguments((*steps, "match"), name, entry, catalogue)

    def _arguments(self, steps: Steps, name: str, call: dict[str, Any], catalogue: Any) -> None:
        """A matcher for an argument that neither the call nor its tool has never applies."""
        schema = catalogue.get(name) if isinstance(catalogue, dict) else None
        properties = schema.get("properties") if isinstance(schema, dict) else None
        if not isinstance(properties, dict) or not isinstance(call["match"], dict):
            return
        args = call.get("args")
        known = {*properties, *(args if isinstance(args, dict) else ())}
        for arg in call["match"]:
            if arg not in known:
                why = f"{name} has no argument {arg!r}, {nearest(arg, known)}"
                self.document.fault((*steps, arg), why)

    def _tool(self, steps: Steps, name: str, catalogue: Any) -> None:
        if catalogue is not None and name not in catalogue:
            self.document.fault(steps, f"no tool {name!r} in tools, {nearest(name, catalogue)}")

    def _names(
        self, steps: Steps, stated: dict[str, Any], keys: Collection[str], catalogue: Any
    ) -> None:
        for key in keys:
            names = stated.get(key)
            if isinstance(names, list) and self.document.sound((*steps, key)):
                for index, name in enumerate(names):
                    self._tool((*steps, key, index), name, catalogue)

    def _before(self, steps: Steps, entries: list[Any], catalogue: Any) -> None:
        for index, entry in enumerate(entries):
            here = (*steps, index)
            sides = [side if isinstance(side, str) else side["name"] for side in entry[:2]]
            for place, part in enumerate(entry):
                if place < 2:
                    self._call((*here, place), part, catalogue)
                if isinstance(part, dict):
                    self._join((*here, place), part, sides)

    def _join(self, steps: Steps, part: dict[str, Any], sides: list[str]) -> None:
        if "where" in part:
            self._expression((*steps, "where"), part["where"], _PAIR_NAMES)
        same = part.get("same")
        if isinstance(same, dict) and set(same) != set(sides):
            wanted = ", ".join(f"{side}: argument" for side in dict.fromkeys(sides))
            self.document.fault((*steps, "same"), f"needs {{{wanted}}}")

    def _match(self, steps: Steps, stated: dict[str, Any], catalogue: Any) -> None:
        here = (*steps, "match")
        if "match" not in stated or not self.document.sound(here):
            return
        self._all(by_tool_faults(stated["match"], here, catalogue))

    def _response(self, steps: Steps, stated: dict[str, Any]) -> None:
        response = stated.get("response")
        here = (*steps, "response")
        if not isinstance(response, dict) or not self.document.sound(here):
            return
        for key, so_that in _EMPTY_TEXTS.items():
            texts = response.get(key, [])
            several = isinstance(texts, list)
            for index, text in enumerate(texts if several else [texts]):
                if text == "":
                    at = (*here, key, index) if several else (*here, key)
                    self.document.fault(at, f"an empty text is in every answer and {so_that}")
        patterns = response.get("matches", [])
        listed = isinstance(patterns, list)
        for index, pattern in enumerate(patterns if listed else [patterns]):
            try:
                re.compile(pattern)
            except (re.error, OverflowError, RecursionError) as error:
                at = (*here, "matches", index) if listed else (*here, "matches")
                self.document.fault(at, f"{pattern!r} is no pattern: {error}")
        wanted = response.get("json")
        if isinstance(wanted, dict) and wanted and wanted.keys() <= _JSON_OPTIONS:
            try:
                schema_faults({}, wanted.get("schema", {}))
            except UsageError as error:
                self.document.fault((*here, "json", "schema"), error.message)

    def _surroundings(self, steps: Steps, stated: dict[str, Any], catalogue: Any) -> None:
        faults = stated.get("faults")
        for index, fault in enumerate(faults if isinstance(faults, list) else ()):
            here = (*steps, "faults", index)
            if not self.document.sound(here):
                continue
            self._all(((*here, *way), why) for way, why in fault_problems(fault))
            if fault["tool"] != "*":
                self._tool((*here, "tool"), fault["tool"], catalogue)
            self._names(here, fault, ("fallback",), catalogue)
            self._expected((*here, "calls"), fault.get("calls", []), catalogue)
        here = (*steps, "approvals")
        if "approvals" in stated and self.document.sound(here):
            try:
                for approval in approvals_of(stated["approvals"]):
                    if approval.tool != "*":
                        self._tool(here, approval.tool, catalogue)
            except UsageError as error:
                self.document.fault(here, error.message)
        here = (*steps, "scenario")
        if isinstance(stated.get("scenario"), dict) and self.document.sound(here):
            self._all(((*here, *way), why) for way, why in scenario_problems(stated["scenario"]))

    def _state(self, steps: Steps, stated: dict[str, Any]) -> None:
        here = (*steps, "state")
        rules = stated.get("state")
        if rules is not None and self.document.sound(here):
            try:
                StateRules.of(rules)
            except UsageError as error:
                self.document.fault(here, error.message)
        here = (*steps, "expected_final_state")
        if "expected_final_state" in stated and self.document.sound(here):
            try:
                wanted_tree(stated["expected_final_state"])
            except UsageError as error:
                self.document.fault(here, error.message)

    def _expressions(self, steps: Steps, stated: dict[str, Any]) -> None:
        here = (*steps, "success_check")
        if "success_check" in stated and self.document.sound(here):
            self._expression(here, stated["success_check"], None)
        here = (*steps, "policies")
        if not isinstance(stated.get("policies"), list) or not self.document.sound(here):
            return
        for index, policy in enumerate(stated["policies"]):
            word = "deny" if "deny" in policy else "require"
            self._expression((*here, index, word), policy[word], POLICY_NAMES)

    def _expression(self, steps: Steps, text: str, names: tuple[str, ...] | None) -> None:
        try:
            compile_expression(text, names)
        except UsageError as error:
            self.document.fault(steps, error.message)

    def _checks(self, steps: Steps, stated: dict[str, Any]) -> None:
        checks = stated.get("checks")
        if not isinstance(checks, dict):
            return
        for key in list(checks):
            here = (*steps, "checks", key)
            if not self.document.sound(here):
                self._named_check(here, key)
                continue
            options = checks[key] = checks[key] or {}
            if options.get("at_least", 0) > options.get("at_most", 1):
                self.document.fault(here, "at_least is more than at_most; nothing passes")
            try:
                if is_dotted(key):
                    self._own_check(checks, key)
                else:
                    build_check(key, options)
            except UsageError as error:
                self.document.fault(here, error.message)

    def _named_check(self, steps: Steps, key: str) -> None:
        """Tells of a check that does not exist, whatever is wrong with its options."""
        if not is_dotted(key):
            try:
                build_check(key)
            except UsageError as error:
                self.document.fault(steps, error.message)

    def _own_check(self, checks: dict[str, Any], path: str) -> None:
        """Puts the key of a check of the user's own in the place of its dotted path.

        What is wrong with a path is told once, however many cases name it.
        """
        if not self.allow_code:
            raise UsageError(
                "a check by dotted path runs code of its own; it is loaded only with --allow-code "
                "(allow_code=True)"
            )
        if path not in self.own:
            self.own[path] = None
            self.own[path] = own_check(path, self.document.folder)
        key = self.own[path]
        if key is None:
            return
        if key in checks:
            raise UsageError(f"is the check {key!r}, which stands there too; keep one")
        checks[key] = checks.pop(path)
        build_check(key, checks[key])

    def _path(self, steps: Steps, stated: dict[str, Any], text: str) -> None:
        try:
            stated["initial_state"] = str(inside(self.document.folder, text))
        except UsageError as error:
            self.document.fault(steps, error.message)

    def _all(self, faults: Iterator[tuple[Steps, str]]) -> None:
        for steps, message in faults:
            self.document.fault(steps, message)
