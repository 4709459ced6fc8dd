"""What every adapter promises of suites: nothing is lost in silence, and nothing half written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from msgspec.structs import replace

from passhat.adapter import SURE_ENOUGH, Fidelity, adapters
from passhat.case import Case, Suite
from passhat.errors import PasshatError, UsageError
from passhat.testing.canonical_cases import CANONICAL_CASES, CANONICAL_SUITE

_SUITE_KEYS = ("name", "tools", "writes", "defaults", "checks", "metadata", "extensions")
_Error = TypeVar("_Error", bound=PasshatError)


class SuiteConformance:
    """The tests of suites that `AdapterConformance` has; see there for what to state.

    Attributes:
        adapter: The adapter.
        samples: Canonical traces as the world records them.
        holds_suites: Whether its recordings can be read as suites too.
        no_suites: Why its world has no form for a suite; empty where it has one. Stating it for an
            adapter that writes suites fails.
    """

    adapter: ClassVar[Any]
    holds_suites: ClassVar[bool] = False
    no_suites: ClassVar[str] = ""

    def suite_target(self, folder: Path) -> Path:
        """Where `write_suite` is to write."""
        folder.mkdir(exist_ok=True)
        return folder / "suite.json"

    def test_a_world_without_suites_says_so(self, tmp_path: Path) -> None:
        """Where its world has no suites, writing one is refused and leaves nothing behind."""
        if not self.no_suites:
            return
        target = self.suite_target(tmp_path / "written")
        error = raised(UsageError, lambda: self.adapter.write_suite(CANONICAL_SUITE, target))
        assert error.message
        assert not target.exists()

    def test_a_case_comes_back_but_for_what_the_report_lists(
        self, canonical_case: str, tmp_path: Path
    ) -> None:
        """Each key of a case comes back as it was, or the report says what became of it."""
        case = CANONICAL_CASES[canonical_case]
        suite = Suite("canonical", (case,))
        fidelity, back = self._there_and_back(suite, tmp_path)
        assert [one.id for one in back.cases] == [case.id]
        after = back.cases[0]
        changed = {name for name in Case.__struct_fields__ if _differs(case, after, name)}
        silent = changed - _left(fidelity, case.id)
        assert not silent, f"changed and not listed: {silent}: {case!r} became {after!r}"

    def test_a_suite_comes_back_but_for_what_the_report_lists(self, tmp_path: Path) -> None:
        """Each key of a suite, and its cases in their order."""
        if self.no_suites:
            return
        fidelity, back = self._there_and_back(CANONICAL_SUITE, tmp_path)
        assert [case.id for case in back.cases] == [case.id for case in CANONICAL_SUITE.cases]
        listed = {note.what for note in fidelity.notes if note.kind in ("lost", "approximated")}
        silent = {
            name for name in _SUITE_KEYS if getattr(back, name) != getattr(CANONICAL_SUITE, name)
        } - listed
        assert not silent, f"changed and not listed: {silent}"

    def test_all_cases_go_together(self, tmp_path: Path) -> None:
        """A suite of all the canonical cases comes back with all of them, in their order."""
        if self.no_suites:
            return
        suite = Suite("canonical", tuple(CANONICAL_CASES.values()))
        _, back = self._there_and_back(suite, tmp_path)
        assert [case.id for case in back.cases] == [case.id for case in suite.cases]

    def test_a_suite_written_again_is_the_same(self, tmp_path: Path) -> None:
        """What came back once comes back as it is: nothing wears off from trip to trip."""
        if self.no_suites:
            return
        _, once = self._there_and_back(CANONICAL_SUITE, tmp_path / "once")
        _, twice = self._there_and_back(once, tmp_path / "twice")
        assert twice == once

    def test_a_written_suite_is_known_as_its_own(self, tmp_path: Path) -> None:
        """No other adapter is as sure of a suite that it wrote as it is itself."""
        if self.no_suites:
            return
        target = self.suite_target(tmp_path / "written")
        self.adapter.write_suite(CANONICAL_SUITE, target)
        head = target.read_bytes()[:65_536]
        own = self.adapter.sniff(target, head)
        others = {
            name: adapter.sniff(target, head)
            for name, adapter in adapters().items()
            if name != self.adapter.name
        }
        assert own >= SURE_ENOUGH
        assert own > max(others.values(), default=0.0), others

    def test_a_suite_that_cannot_be_written_leaves_the_target_as_it_was(
        self, tmp_path: Path
    ) -> None:
        """A target is replaced as a whole or not at all."""
        target = self.suite_target(tmp_path / "written")
        target.write_bytes(b"as it was")
        case = replace(CANONICAL_SUITE.cases[0], metadata={"no": object()})
        unwritable = Suite("s", (CANONICAL_SUITE.cases[1], case))
        raised(PasshatError, lambda: self.adapter.write_suite(unwritable, target))
        assert target.read_bytes() == b"as it was"
        assert list(target.parent.iterdir()) == [target], "something was left behind"

    def _there_and_back(self, suite: Suite, folder: Path) -> tuple[Fidelity, Suite]:
        folder.mkdir(exist_ok=True)
        target = self.suite_target(folder / "written")
        before = repr(suite)
        fidelity = self.adapter.write_suite(suite, target)
        assert isinstance(fidelity, Fidelity)
        assert repr(suite) == before, "writing changed the suite"
        back, _ = self.adapter.read_suite(target)
        return fidelity, back


def _differs(before: Case, after: Case, name: str) -> bool:
    return bool(getattr(before, name) != getattr(after, name))


def _left(fidelity: Fidelity, case_id: str) -> set[str]:
    """The keys of a case that a report calls lost or approximated; all, where it is the case."""
    ends = (f"case {case_id}", case_id)
    found: set[str] = set()
    for note in fidelity.notes:
        if note.kind in ("lost", "approximated"):
            if note.what in ends:
                return set(Case.__struct_fields__)
            head, _, key = note.what.rpartition(": ")
            if head in (*ends, ""):
                found.add(key)
    return found


def raised(kind: type[_Error], action: Any) -> _Error:
    """The error of that kind that an action raises.

    Raises:
        AssertionError: It raises none.
    """
    try:
        action()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was to be raised")


def canonical_names(no_suites: str) -> Sequence[str]:
    """The canonical cases that an adapter is tested with."""
    return () if no_suites else tuple(CANONICAL_CASES)
