"""The class that every adapter must pass, our own and those of others."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import metadata
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

from msgspec.structs import fields, replace

from passhat.adapter import SURE_ENOUGH, Adapter, adapters, missing
from passhat.errors import InputError, MissingExtraError, TraceError, UsageError
from passhat.recordings.fidelity import differences
from passhat.recordings.sidecar import default_of
from passhat.testing.canonical import CANONICAL, essence
from passhat.testing.lookalikes import LOOKALIKES
from passhat.testing.suite_conformance import SuiteConformance, canonical_names, raised
from passhat.trace import Trace


class AdapterConformance(SuiteConformance):
    """Tests an adapter with samples of the canonical traces in its world's own form.

    Derive a class whose name begins with `Test`, and state what follows; pytest does the rest.

        class TestMine(AdapterConformance):
            adapter = my_adapter
            samples = {"plain_answer": {...}, "parallel_calls": {...}, ...}
            cannot_express = {"nested_agent": "a chat has no calls inside calls"}
            broken = {"messages": 5}
            no_suites = "messages record attempts, and expect nothing"

    An adapter that writes suites leaves `no_suites` out, and is tested with the canonical cases
    (`passhat.testing.CANONICAL_CASES`): each key comes back, or is listed in the report.

    Attributes:
        adapter: The adapter.
        samples: Each canonical trace (see `passhat.testing.CANONICAL`) as the world records it.
        cannot_express: The canonical traces that the world cannot record, each with the reason.
        cannot_carry: Fields that its recordings cannot state (`"ToolCall.args_error"`), each with
            the reason; a canonical trace must be met in all others. Stating one that is carried
            after all fails.
        broken: A recorded attempt that cannot be read.
        holds_suites: Whether its recordings can be read as suites too.
        no_suites: Why its world has no form for a suite; empty where it has one.
    """

    adapter: ClassVar[Any]
    samples: ClassVar[Mapping[str, Any]] = {}
    cannot_express: ClassVar[Mapping[str, str]] = {}
    cannot_carry: ClassVar[Mapping[str, str]] = {}
    broken: ClassVar[Any] = {"broken": True}

    # What an adapter whose recordings are no JSONL says otherwise.

    def save(self, samples: Sequence[Any], folder: Path) -> Any:
        """Writes recorded attempts as one source, and gives what `read_traces` takes for it."""
        path = folder / "recorded.jsonl"
        path.write_text("".join(json.dumps(sample) + "\n" for sample in samples), "utf-8")
        return path

    def target(self, folder: Path) -> Path:
        """Where `write_traces` is to write."""
        return folder / "written.jsonl"

    def use_framework(self) -> Callable[[], object] | None:
        """Something that needs what the adapter requires; None where it requires nothing."""
        return None

    def writer(self) -> Callable[[Trace], Any] | None:
        """What takes a trace into the world's own form; by default the adapter's `from_trace`."""
        return getattr(self.adapter, "from_trace", None)

    # The tests.

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """Runs a test once for each sample, or look-alike, that it asks for."""
        if "sampled" in metafunc.fixturenames:
            metafunc.parametrize("sampled", list(self.samples))
        if "canonical" in metafunc.fixturenames:
            metafunc.parametrize("canonical", list(CANONICAL) if self.writer() else [])
        if "canonical_case" in metafunc.fixturenames:
            metafunc.parametrize("canonical_case", canonical_names(self.no_suites))
        if "lookalike" in metafunc.fixturenames:
            metafunc.parametrize("lookalike", list(LOOKALIKES))

    def test_keeps_the_protocol(self) -> None:
        """It has all that `passhat.adapter.Adapter` asks for."""
        assert isinstance(self.adapter, Adapter)

    def test_every_canonical_trace_is_accounted_for(self) -> None:
        """Each canonical trace has a sample, or a reason why it cannot be recorded."""
        stated = {*self.samples, *self.cannot_express}
        assert stated == set(CANONICAL), f"unaccounted or unknown: {stated ^ set(CANONICAL)}"
        assert not self.samples.keys() & self.cannot_express.keys()
        assert all(self.cannot_express.values()), "each needs a reason"
        assert all(self.cannot_carry.values()), "each needs a reason"

    def test_becomes_the_canonical_trace(self, sampled: str, tmp_path: Path) -> None:
        """A sample becomes its canonical trace, but for the fields that are stated."""
        trace = self._only(self.save([self.samples[sampled]], tmp_path))
        got, expected = essence(trace), essence(CANONICAL[sampled].trace)
        for name in self.cannot_carry:
            assert _without(got, name) == got, f"{name} is carried after all"
            expected = _without(expected, name)
        _same(got, expected)

    def test_names_its_source_and_itself(self, sampled: str, tmp_path: Path) -> None:
        """A trace has an id and says where it was recorded."""
        trace = self._only(self.save([self.samples[sampled]], tmp_path))
        assert trace.id
        assert trace.source

    def test_leaves_what_it_reads_as_it_is(self, sampled: str, tmp_path: Path) -> None:
        """Reading changes neither files nor objects, and the trace shares nothing with them."""
        source = self.save([self.samples[sampled]], tmp_path)
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        self._only(source)
        assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        convert = getattr(self.adapter, "to_trace", None)
        if convert is not None:
            sample = self.samples[sampled]
            as_it_was = json.dumps(sample)
            trace = convert(sample)
            assert json.dumps(sample) == as_it_was, "the conversion changed what it was given"
            assert not _mutable_ids(sample) & _mutable_ids(trace), "a mutable object is shared"

    def test_a_broken_attempt_costs_itself_alone(self, tmp_path: Path) -> None:
        """Between two good attempts a broken one is given as its error, with its place."""
        good = next(iter(self.samples.values()))
        found = list(self.adapter.read_traces(self.save([good, self.broken, good], tmp_path)))
        assert [type(item) for item in found] == [Trace, TraceError, Trace]
        assert str(found[1].place), "the error names no place"

    def test_written_traces_come_back_but_for_what_the_report_lists(self, tmp_path: Path) -> None:
        """What is written and read again is equal, or the report says what changed."""
        source = self.save(list(self.samples.values()), tmp_path)
        for traces in (
            list(self.adapter.read_traces(source)),
            [replace(one.trace, id=name) for name, one in CANONICAL.items()],
        ):
            target = self.target(tmp_path)
            fidelity = self.adapter.write_traces(iter(traces), target)
            listed = {note.what for note in fidelity.notes if note.kind != "kept"}
            back = list(self.adapter.read_traces(target))
            assert len(back) == len(traces)
            for before, after in zip(traces, back, strict=True):
                changed = {note.what for note in differences(before, after)}
                assert changed <= listed, f"changed and not listed: {changed - listed}"
                assert len(after.all_calls) <= len(before.all_calls), "a call out of nothing"

    def test_from_trace_and_back_but_for_what_the_report_lists(
        self, canonical: str, tmp_path: Path
    ) -> None:
        """A trace in the world's own form and back is equal, or the report says what changed."""
        write = self.writer()
        assert write is not None
        trace = replace(CANONICAL[canonical].trace, id=canonical)
        as_it_was = repr(trace)
        native = write(trace)
        assert repr(trace) == as_it_was, "writing changed the trace"
        assert not _mutable_ids(native) & _mutable_ids(trace), "a mutable object is shared"
        fidelity = self.adapter.write_traces([trace], self.target(tmp_path))
        listed = {note.what for note in fidelity.notes if note.kind != "kept"}
        back = replace(self.adapter.to_trace(native), id=trace.id)
        changed = {note.what for note in differences(trace, back)}
        assert changed <= listed, f"changed and not listed: {changed - listed}"

    def test_writing_that_fails_leaves_the_target_as_it_was(self, tmp_path: Path) -> None:
        """A target is replaced as a whole or not at all."""
        target = self.target(tmp_path)
        target.write_bytes(b"as it was")
        unwritable = replace(CANONICAL["plain_answer"].trace, metadata={"no": object()})
        raised(TraceError, lambda: self.adapter.write_traces([unwritable], target))
        assert target.read_bytes() == b"as it was"
        assert list(target.parent.iterdir()) == [target], "something was left behind"

    def test_knows_its_own_file_best(self, tmp_path: Path) -> None:
        """No other adapter is as sure of its file as it is itself."""
        path = self.save(list(self.samples.values()), tmp_path)
        head = Path(path).read_bytes()[:65_536]
        own = self.adapter.sniff(Path(path), head)
        others = {
            name: adapter.sniff(Path(path), head)
            for name, adapter in adapters().items()
            if name != self.adapter.name
        }
        assert own >= SURE_ENOUGH
        assert own > max(others.values(), default=0.0), others

    def test_leaves_other_files_to_others(self, lookalike: str) -> None:
        """It knows the look-alike that is its own, and lays no claim to others'."""
        owner, head = LOOKALIKES[lookalike]
        if owner == self.adapter.name:
            assert self.adapter.sniff(Path(lookalike), head) >= SURE_ENOUGH
        else:
            assert self.adapter.sniff(Path(lookalike), head) < SURE_ENOUGH

    def test_refuses_an_unknown_option(self, tmp_path: Path) -> None:
        """An option that it does not have is an error, not ignored."""
        source = self.save([next(iter(self.samples.values()))], tmp_path)
        raised(UsageError, lambda: list(self.adapter.read_traces(source, no_such_option=1)))

    def test_says_which_file_cannot_be_read(self, tmp_path: Path) -> None:
        """A file that is not there is named."""
        nowhere = tmp_path / "nowhere.jsonl"
        error = raised(InputError, lambda: list(self.adapter.read_traces(nowhere)))
        assert "nowhere.jsonl" in str(error)

    def test_says_whether_its_files_are_suites(self, tmp_path: Path) -> None:
        """Where its files are no suites, reading one says so."""
        source = self.save([next(iter(self.samples.values()))], tmp_path)
        if not self.holds_suites:
            error = raised(UsageError, lambda: self.adapter.read_suite(source))
            assert error.message

    def test_names_the_extra_it_misses(self) -> None:
        """Without what it requires, using it names the line that installs it."""
        use = self.use_framework()
        if not self.adapter.requires:
            assert missing(self.adapter) == ()
            assert use is None, "it uses a framework that it does not require"
            return
        assert use is not None, "state in `use_framework` what needs the framework"
        with _hidden(self.adapter.requires):
            assert missing(self.adapter) == tuple(self.adapter.requires)
            error = raised(MissingExtraError, use)
        assert "pip install" in str(error)

    def _only(self, source: Any) -> Trace:
        found = list(self.adapter.read_traces(source))
        assert len(found) == 1, found
        assert isinstance(found[0], Trace), found[0]
        return found[0]


def _same(got: Trace, expected: Trace) -> None:
    for at, (one, other) in enumerate(zip_longest(got.steps, expected.steps)):
        assert one == other, f"step {at} is\n  {one}\nand not\n  {other}"
    assert got == expected, f"{got}\nis not\n{expected}"


def _without(trace: Trace, name: str) -> Trace:
    """The trace with a field (`"ToolCall.result"`, or one of the trace's own) at its default."""
    kind, _, field = name.rpartition(".")
    if not kind:
        return replace(trace, **{field: _default(trace, field)})
    steps = [
        replace(step, **{field: _default(step, field)}) if type(step).__name__ == kind else step
        for step in trace.steps
    ]
    return replace(trace, steps=tuple(steps))


def _default(struct: Any, name: str) -> Any:
    return next(default_of(item) for item in fields(struct) if item.name == name)


def _mutable_ids(value: Any) -> set[int]:
    """The identities of all lists and dicts within a value."""
    found: set[int] = set()
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, dict):
            found.add(id(item))
            todo += item.values()
        elif isinstance(item, list | tuple):
            if isinstance(item, list):
                found.add(id(item))
            todo += item
        elif hasattr(type(item), "__struct_fields__"):
            todo += [getattr(item, name) for name in type(item).__struct_fields__]
    return found


def _hidden(distributions: Sequence[str]) -> AbstractContextManager[Any]:
    """As if the distributions were not installed."""
    names = {name.partition("[")[0] for name in distributions}
    real = metadata.version

    def version(name: str) -> str:
        if name in names:
            raise metadata.PackageNotFoundError(name)
        return real(name)

    return patch("passhat.adapter.version", version)
