"""The conformance class finds what is wrong with an adapter."""

import json

import pytest

from passhat import Case, Fidelity, FidelityNote, UsageError
from passhat.errors import TraceError
from passhat.jsontext import replacing
from passhat.recordings.openai_chat import OpenAIChat
from passhat.suitefile import suite_from, suite_value
from passhat.testing import CANONICAL, CANONICAL_CASES, CANONICAL_SUITE, AdapterConformance
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

    def write_traces(self, traces, target):
        super().write_traces(traces, target)
        return Fidelity()


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


class Keeping(OpenAIChat):
    """Has suites of its own: JSON under a key of its own."""

    suites = True

    def sniff(self, path, head):
        return 0.9 if head.startswith(b'{"kept": ') else super().sniff(path, head)

    def value(self, suite):
        return suite_value(suite)

    def write_suite(self, suite, target):
        text = json.dumps({"kept": self.value(suite)}).encode()
        with replacing(target) as file:
            file.write(text)
        return Fidelity(tuple(self.notes(suite)))

    def notes(self, suite):
        return ()

    def read_suite(self, source):
        try:
            value = json.loads(source.read_text())["kept"]
        except (KeyError, TypeError, ValueError):
            raise UsageError("a recording") from None
        return suite_from(value), Fidelity()


class Forgetful(Keeping):
    """Loses budgets and does not say so."""

    def value(self, suite):
        told = suite_value(suite)
        for case in told["cases"]:
            case.pop("budget", None)
        return told


class Honest(Forgetful):
    """Loses budgets and says so."""

    def notes(self, suite):
        return [
            FidelityNote(f"{case.id}: budget", "lost", "no place for it")
            for case in suite.cases
            if case.budget is not None
        ]


class Nameless(Keeping):
    """Loses what a suite says of itself."""

    def value(self, suite):
        return {**suite_value(suite), "metadata": {}}


class Shuffling(Keeping):
    """Writes the cases in another order."""

    def value(self, suite):
        told = suite_value(suite)
        return {**told, "cases": told["cases"][::-1]}


class Wearing(Keeping):
    """Adds something each time."""

    def value(self, suite):
        return {**suite_value(suite), "name": f"{suite.name}+"}

    def notes(self, suite):
        return [FidelityNote("name", "approximated", "one more +")]


class Hasty(Keeping):
    """Writes over the target before it knows that it can."""

    def write_suite(self, suite, target):
        target.write_bytes(b"")
        return super().write_suite(suite, target)


class Boastful(OpenAIChat):
    """Says nothing of having no suites."""

    def write_suite(self, suite, target):
        target.write_bytes(b"{}")
        return Fidelity()


def suite_for(kind):
    class Conformance(AdapterConformance):
        no_suites = "" if hasattr(kind, "suites") else "chats record attempts, and expect nothing"
        adapter = kind()
        samples = SAMPLES
        cannot_express = REST
        broken = 5

    return Conformance()


def run(suite, name, folder):
    test = getattr(suite, name)
    wanted = test.__code__.co_varnames[: test.__code__.co_argcount]
    kind = next((one for one in MANY if one in wanted), None)
    names = MANY[kind] if kind is not None else [None]
    if kind == "canonical_case" and suite.no_suites:
        names = []
    for number, one in enumerate(names):
        own = folder / str(number)
        own.mkdir(exist_ok=True)
        given = {kind: one, "lookalike": "a page", "tmp_path": own}
        test(**{key: given[key] for key in wanted if key in given})


MANY = {
    "sampled": list(SAMPLES),
    "canonical": list(CANONICAL),
    "canonical_case": list(CANONICAL_CASES),
}
TESTS = [name for name in dir(AdapterConformance) if name.startswith("test_")]


@pytest.mark.parametrize("name", TESTS)
def test_a_sound_adapter_passes(name, tmp_path):
    run(suite_for(Sound), name, tmp_path)


@pytest.mark.parametrize("kind", [Keeping, Honest])
@pytest.mark.parametrize("name", [name for name in TESTS if "suite" in name or "case" in name])
def test_one_that_holds_suites_passes(kind, name, tmp_path):
    run(suite_for(kind), name, tmp_path)


def test_there_is_a_canonical_case_for_each_key():
    bare = Case("")
    for name in Case.__struct_fields__:
        shown = CANONICAL_CASES[name]
        if name == "response_must_include":
            name = "response"  # It is short for it.
        assert getattr(shown, name) != getattr(bare, name), name
    for name in ("name", "tools", "writes", "defaults", "checks", "metadata", "extensions"):
        assert getattr(CANONICAL_SUITE, name), name


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (Deaf, "test_becomes_the_canonical_trace"),
        (Grasping, "test_leaves_other_files_to_others"),
        (Sharing, "test_leaves_what_it_reads_as_it_is"),
        (Silent, "test_written_traces_come_back_but_for_what_the_report_lists"),
        (Careless, "test_writing_that_fails_leaves_the_target_as_it_was"),
        (Silent, "test_from_trace_and_back_but_for_what_the_report_lists"),
        (Forgetful, "test_a_case_comes_back_but_for_what_the_report_lists"),
        (Nameless, "test_a_suite_comes_back_but_for_what_the_report_lists"),
        (Shuffling, "test_all_cases_go_together"),
        (Wearing, "test_a_suite_written_again_is_the_same"),
        (Hasty, "test_a_suite_that_cannot_be_written_leaves_the_target_as_it_was"),
        (Boastful, "test_a_world_without_suites_says_so"),
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
