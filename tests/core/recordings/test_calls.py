"""What happens to calls and results in every form: ids missing or repeated, results astray."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.adapter import adapter_named


class OpenAI:
    name = "openai"

    def asks(self, calls):
        listed = [
            {
                "id": i,
                "type": "function",
                "function": {"name": n, "arguments": json.dumps({"n": i})},
            }
            for i, n in calls
        ]
        return [{"role": "assistant", "content": None, "tool_calls": listed}]

    def gives(self, i, n, value):
        return [{"role": "tool", "tool_call_id": i, "name": n, "content": value}]

    def user(self, text):
        return [{"role": "user", "content": text}]


class Anthropic(OpenAI):
    name = "anthropic"

    def asks(self, calls):
        blocks = [{"type": "tool_use", "id": i, "name": n, "input": {"n": i}} for i, n in calls]
        return [{"role": "assistant", "content": blocks}]

    def gives(self, i, n, value):
        return self.user([{"type": "tool_result", "tool_use_id": i, "content": value}])


class Gemini:
    name = "gemini"

    def asks(self, calls):
        parts = [{"functionCall": {"id": i, "name": n, "args": {"n": i}}} for i, n in calls]
        return [{"role": "model", "parts": parts}]

    def gives(self, i, n, value):
        response = {"id": i, "name": n, "response": {"result": value}}
        return [{"role": "user", "parts": [{"functionResponse": response}]}]

    def user(self, text):
        return [{"role": "user", "parts": [{"text": text}]}]


class LangChain:
    name = "langchain"

    def asks(self, calls):
        listed = [{"id": i, "name": n, "args": {"n": i}} for i, n in calls]
        return [{"type": "ai", "content": "", "tool_calls": listed}]

    def gives(self, i, n, value):
        return [{"type": "tool", "tool_call_id": i, "name": n, "content": value}]

    def user(self, text):
        return [{"type": "human", "content": text}]


class Responses(OpenAI):
    name = "openai-responses"

    def asks(self, calls):
        return [
            {"type": "function_call", "call_id": i, "name": n, "arguments": json.dumps({"n": i})}
            for i, n in calls
        ]

    def gives(self, i, n, value):
        return [{"type": "function_call_output", "call_id": i, "name": n, "output": value}]


FORMS = [OpenAI(), Anthropic(), Gemini(), LangChain(), Responses()]
every_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)


def read(form, *entries):
    return adapter_named(form.name).to_trace([entry for part in entries for entry in part])


@every_form
def test_results_in_another_order_find_their_calls(form):
    trace = read(
        form,
        form.user("x"),
        form.asks([("a", "f"), ("b", "f")]),
        form.gives("b", "f", "of b"),
        form.gives("a", "f", "of a"),
    )
    assert [(c.result, c.request, c.answered, c.executed) for c in trace.calls] == [
        ("of a", 0, 1, True),
        ("of b", 0, 1, True),
    ]
    assert trace.gaps == ()


@every_form
def test_a_result_that_never_comes_stays_unset(form):
    trace = read(form, form.asks([("a", "f"), ("b", "g")]), form.gives("a", "f", "1"))
    answered, waiting = trace.calls
    assert (answered.answered, waiting.answered, waiting.executed) == (1, None, None)
    assert not waiting.succeeded
    assert not waiting.failed


@every_form
def test_ids_that_come_again_belong_to_the_latest_call(form):
    trace = read(
        form,
        form.asks([("a", "f")]),
        form.asks([("a", "f")]) if form.name != "openai-responses" else [],
        form.gives("a", "f", "late"),
    )
    assert [call.result for call in trace.calls][-1] == "late"
    assert len(trace.calls) == (2 if form.name != "openai-responses" else 1)


@every_form
def test_calls_of_one_id_in_one_request_are_answered_in_order(form):
    trace = read(
        form,
        form.asks([("a", "f"), ("a", "f")]),
        form.gives("a", "f", "first"),
        form.gives("a", "f", "second"),
    )
    assert [call.result for call in trace.calls] == ["first", "second"]


@every_form
@pytest.mark.parametrize("no_id", [None, ""])
def test_calls_without_ids_are_answered_by_name(form, no_id):
    trace = read(form, form.asks([(no_id, "f"), (no_id, "f")]), form.gives(None, "f", "1"))
    assert [call.id for call in trace.calls] == [None, None]
    assert trace.calls[0].result == "1"


@every_form
def test_a_result_that_answers_no_call_is_kept_and_said(form):
    trace = read(form, form.user("x"), form.gives("zz", "f", "1"), form.asks([("a", "g")]))
    assert len(trace.extensions["unmatched_results"]) == 1
    assert "zz" in json.dumps(trace.extensions["unmatched_results"])
    assert trace.gaps == ("calls: a result (id 'zz') answers no call that was recorded",)


@every_form
def test_a_further_result_of_a_call_is_kept_and_leaves_the_calls_whole(form):
    trace = read(
        form, form.asks([("a", "f")]), form.gives("a", "f", "1"), form.gives("a", "f", "2")
    )
    assert trace.calls[0].result == "1"
    assert trace.gaps == ("a further result (id 'a') for a call that had one already",)


@every_form
def test_a_result_that_comes_before_its_call_is_joined(form):
    trace = read(form, form.gives("a", "f", "early"), form.asks([("a", "f")]))
    assert trace.calls[0].result == "early"
    assert trace.gaps == ()


@every_form
@pytest.mark.parametrize(
    ("text", "result", "error"),
    [
        ('{"ok": true}', {"ok": True}, None),
        ('[1, {"n": NaN}]', [1, {"n": {"$float": "NaN"}}], None),
        ("5", "5", None),
        ("null", "null", None),
        ("{not json}", "{not json}", None),
        ('{"error": null}', {"error": None}, None),
        ('{"error": "gone", "code": 404}', {"error": "gone", "code": 404}, None),
        ("an error occurred", "an error occurred", None),
        ('{"error": "gone"}', None, "gone"),
        ('{"error": {"code": 404}}', None, '{"code":404}'),
    ],
)
def test_what_a_result_says(form, text, result, error):
    call = read(form, form.asks([("a", "f")]), form.gives("a", "f", text)).calls[0]
    assert call.error == error
    if error is None:
        assert call.result == result
    else:
        assert not call.succeeded


IDS = st.sampled_from(["a", "b", "c", "", None])
NAMES = st.sampled_from(["f", "g", "h"])
PARTS = st.lists(
    st.tuples(st.just("asks"), st.lists(st.tuples(IDS, NAMES), min_size=1, max_size=4))
    | st.tuples(st.just("gives"), st.tuples(IDS, NAMES, st.sampled_from(["1", '{"a": 1}', ""])))
    | st.tuples(st.just("user"), st.just(("hello",))),
    max_size=8,
)


@every_form
@given(parts=PARTS)
def test_no_call_and_no_result_is_lost(form, parts):
    entries, asked, given_ = [], [], 0
    for kind, what in parts:
        if kind == "asks":
            entries.append(form.asks(what))
            asked += [name for _, name in what]
        elif kind == "gives":
            entries.append(form.gives(*what))
            given_ += 1
        else:
            entries.append(form.user(*what))
    trace = read(form, *entries)
    assert [call.name for call in trace.calls] == asked
    joined = sum(call.succeeded for call in trace.calls)
    assert joined + len(trace.extensions.get("unmatched_results", [])) == given_
    for call in trace.calls:
        assert call.answered is None or call.answered > call.request
