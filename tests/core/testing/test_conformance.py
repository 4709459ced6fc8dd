"""The conformance class finds what is wrong with an adapter."""

import json

import pytest

from passhat.errors import TraceError
from passhat.recordings.openai_chat import OpenAIChat
from passhat.testing import CANONICAL, AdapterConformance
from passhat.trace import Trace

SAMPLES = {
    "plain_answer": [
        {"role": "user", "content": "What can you do?"},
        {"role": "assistant", "content": "I look up orders and cancel them."},
    ],
    "no_output": [
        {"role": "user", "content": "Where is order A1?"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "a", "name": "lookup_order", "args": {"order_id": "A1"}}],
        },
        {"role": "tool", "tool_call_id": "a", "content": '{"status": "shipped"}'},
    ],
}
REST = {name: "not sampled here" for name in CANONICAL if name not in SAMPLES}


class Sound(OpenAIChat):
    """Nothing is wrong with it."""


class Deaf(OpenAIChat):
    """Hears no results."""

    def result(self, chat, entry, path):
        pass


class Grasping(OpenAIChat):
    """Lays claim to every file."""

    def sniff(self, path, head):
        return 1.0


class Sharing(OpenAIChat):
    """Gives traces that share what they were made of."""

    def to_trace(self, value, *, id="trace"):
        return self.trace_of_plain(value, id)


class Silent(OpenAIChat):
    """Lists no losses."""

    def _kept(self, trace, row):
        return []


class Fragile(OpenAIChat):
    """Ends with the first attempt that cannot be read."""

    def read_traces(self, source, **options):
        for item in super().read_traces(source, **options):
            if isinstance(item, TraceError):
                raise item
            yield item


class Careless(OpenAIChat):
    """Writes over the target before it knows that it can."""

    def write_traces(self, traces, target):
        target.write_bytes(b"")
        return super().write_traces(traces, target)


def suite_for(kind):
    class Conformance(AdapterConformance):
        adapter = kind()
        samples = SAMPLES
        cannot_express = REST
        broken = 5

    return Conformance()


def run(suite, name, folder):
    test = getattr(suite, name)
    wanted = test.__code__.co_varnames[: test.__code__.co_argcount]
    samples = list(SAMPLES) if "sampled" in wanted else [None]
    for number, sample in enumerate(samples):
        own = folder / str(number)
        own.mkdir(exist_ok=True)
        given = {"sampled": sample, "lookalike": "a page", "tmp_path": own}
        test(**{key: given[key] for key in wanted if key in given})


TESTS = [name for name in dir(AdapterConformance) if name.startswith("test_")]


@pytest.mark.parametrize("name", TESTS)
def test_a_sound_adapter_passes(name, tmp_path):
    run(suite_for(Sound), name, tmp_path)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (Deaf, "test_becomes_the_canonical_trace"),
        (Grasping, "test_leaves_other_files_to_others"),
        (Sharing, "test_leaves_what_it_reads_as_it_is"),
        (Silent, "test_written_traces_come_back_but_for_what_the_report_lists"),
        (Careless, "test_writing_that_fails_leaves_the_target_as_it_was"),
    ],
)
def test_an_unsound_one_fails(kind, name, tmp_path):
    with pytest.raises(AssertionError):
        run(suite_for(kind), name, tmp_path)


def test_an_adapter_that_stops_at_a_broken_attempt_fails(tmp_path):
    with pytest.raises(TraceError):
        run(suite_for(Fragile), "test_a_broken_attempt_costs_itself_alone", tmp_path)


def test_a_field_said_to_be_lost_that_is_not_fails(tmp_path):
    suite = suite_for(Sound)
    suite.cannot_carry = {"ToolCall.result": "for the sake of the test"}
    with pytest.raises(AssertionError, match="carried after all"):
        run(suite, "test_becomes_the_canonical_trace", tmp_path)


def test_a_field_said_to_be_lost_is_left_out(tmp_path):
    suite = suite_for(Deaf)
    lost = ("ToolCall.result", "ToolCall.answered", "ToolCall.executed")
    suite.cannot_carry = dict.fromkeys(lost, "it hears no results")
    run(suite, "test_becomes_the_canonical_trace", tmp_path)


def test_every_canonical_trace_is_json():
    for canonical in CANONICAL.values():
        assert isinstance(canonical.trace, Trace)
        json.dumps(OpenAIChat().from_trace(canonical.trace))
