"""Users: scripted ones, callables, turn caps, and one trace of the whole conversation."""

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import passhat
from passhat.case import Case, Suite
from passhat.errors import UsageError
from passhat.grading import grade
from passhat.trace import Message, ToolCall
from passhat.trials.attempt import attempt
from passhat.trials.sandbox import Sandbox
from passhat.trials.users import END, ScriptedUser, spoken, user_of

CASE = Case(
    "refund",
    "I want a refund.",
    scenario={
        "goal": "Get a refund.",
        "known_facts": {"name": "Ann"},
        "hidden_facts": {"order_id": "A100", "email": {"value": "ann@x.org", "ask": ["e-?mail"]}},
        "rules": [{"when": "voucher", "say": ["No voucher, {name}!", "No."], "once": True}],
        "max_turns": 5,
    },
)


def heard(*texts):
    return [{"role": "assistant", "content": text} for text in texts]


def played(agent, case=CASE, **more):
    return asyncio.run(attempt(agent, case, trial=0, seed=1, **more))


def leads(case, user):
    answers = iter(["What is your order number?", "Shall I go ahead?", "It is refunded."])
    for said in user:
        assert said
        user.reply(next(answers))


async def leads_async(case, user):
    said = await user.open()
    for answer in ["What is your order number?", "Shall I go ahead?", "It is refunded."]:
        assert said
        said = await user.areply(answer)
    assert said is None
    return "It is refunded."


def answers_each(case, messages):
    answers = ["What is your order number?", "Shall I go ahead?", "It is refunded."]
    assert messages[-1]["role"] == "user"
    return answers[len(messages) // 2]


def gives_messages(case, messages):
    return [*messages, {"role": "assistant", "content": answers_each(case, messages)}]


def gives_its_own_alone(case, messages):
    return [{"role": "assistant", "content": answers_each(case, messages)}]


@pytest.mark.parametrize(
    "agent", [leads, leads_async, answers_each, gives_messages, gives_its_own_alone]
)
def test_the_whole_conversation_is_one_trace(agent):
    trace = played(agent)
    said = [(message.role, message.text, message.turn) for message in trace.messages]
    assert said == [
        ("user", "I want a refund.", 0),
        ("assistant", "What is your order number?", 0),
        ("user", "My order id is A100.", 1),
        ("assistant", "Shall I go ahead?", 1),
        ("user", trace.messages[4].text, 2),
        ("assistant", "It is refunded.", 2),
    ]
    assert trace.messages[4].text in ("Yes, please.", "Yes.", "Please go ahead.")
    assert [m.request for m in trace.messages if m.role == "assistant"] == [0, 1, 2]
    assert (trace.outcome, len(trace.turns)) == ("completed", 3)
    assert grade(trace, CASE).result("user_on_script").status == "passed"


def test_rules_go_first_and_once_is_once():
    say = ScriptedUser(rules={"price": "Too much, {order_id}."}).begin(CASE, seed=4)
    assert say([]) == "I want a refund."
    assert say(heard("The price?")) == "Too much, A100."
    assert say(heard("A voucher?")) in ("No voucher, Ann!", "No.")
    assert say(heard("A voucher?")) in ScriptedUser().unsure
    assert say(heard("Your E-Mail, please?")) == "My email is ann@x.org."
    assert say(heard("Name and order number?")) == "My name is Ann. My order id is A100."


def test_they_give_up_on_questions_that_they_cannot_answer():
    say = ScriptedUser(patience=2).begin(CASE, seed=4)
    say([])
    asked = [say(heard("What colour?")) for _ in range(3)]
    assert asked[2] is None
    assert None not in asked[:2]


def test_a_rule_may_end_it_and_thanks_may_be_said():
    say = ScriptedUser(rules=[{"when": "done", "say": "Bye.", "end": True}]).begin(CASE, 0)
    assert [say([]), say(heard("done")), say(heard("more?"))][1:] == ["Bye.", None]
    say = ScriptedUser(thanks="Thanks.").begin(CASE, 0)
    assert [say([]), say(heard("It is so.")), say(heard("Welcome."))][1:] == ["Thanks.", None]


@given(st.integers(0, 2**40), st.lists(st.sampled_from(["ok?", "order id?", "shall i?", "hm"])))
def test_the_same_seed_gives_the_same_user(seed, texts):
    one, two = (ScriptedUser().begin(CASE, seed) for _ in range(2))
    assert [one([])] + [one(heard(t)) for t in texts] == [two([])] + [two(heard(t)) for t in texts]


def test_hidden_facts_are_told_only_when_asked():
    say = ScriptedUser().begin(CASE, 0)
    words = [say([])] + [say(heard(text)) for text in ("Hello?", "Shall I?", "voucher", "Why?")]
    assert not any("A100" in (text or "") or "ann@" in (text or "") for text in words)


@pytest.mark.parametrize(
    "agent",
    [
        lambda case, messages: "What is it?",
        lambda case, user: [user.reply("What is it?") for _ in user] and None,
    ],
)
def test_a_conversation_without_an_end_is_the_agents_failure(agent):
    trace = played(agent, user=ScriptedUser(patience=99))
    assert (trace.outcome, trace.error) == (
        "limit",
        "the conversation came to no end within 5 messages of the user",
    )
    assert grade(trace, CASE).status == "agent_error"
    assert sum(m.role == "user" for m in trace.messages) == 5


def test_a_callable_is_given_what_it_has_parameters_for():
    seen = []

    def user(messages, scenario, turn_counter):
        seen.append((len(messages), scenario.goal, turn_counter))
        return {"role": "user", "content": "Go on."} if turn_counter == 1 else END

    trace = played(lambda case, messages: "Well?", user=user)
    assert [m.text for m in trace.messages] == ["I want a refund.", "Well?", "Go on.", "Well?"]
    assert seen == [(2, "Get a refund.", 1), (4, "Get a refund.", 2)]

    async def later(messages):
        return None if messages else "Hi"

    bare = Case("c", scenario={"goal": "x"})
    assert [m.text for m in played(lambda case, messages: "Yo", bare, user=later).messages] == [
        "Hi",
        "Yo",
    ]
    assert played(lambda case, user: user.reply("Yo" * bool(user.opening)), bare, user=later)


def test_a_user_that_fails_is_not_the_agents_failure():
    def user(messages):
        raise KeyError("model")

    bare = Case("c", scenario={"goal": "x"})
    for agent, case in ((lambda case, messages: "Well?", CASE), (leads, CASE), (leads, bare)):
        trace = played(agent, case, user=user)
        assert trace.outcome == "infrastructure_error"
        assert trace.error == "the user failed, not the agent: KeyError: 'model'"


def test_turns_are_said_one_after_the_other():
    case = Case("c", turns=["Hi", {"input": "A1", "response": {"includes": ["sent"]}}])
    trace = played(lambda case, messages: f"{messages[-1]['content']} sent", case)
    assert [m.text for m in trace.messages] == ["Hi", "Hi sent", "A1", "A1 sent"]
    assert grade(trace, case).status == "passed"


def test_calls_stand_in_their_turns():
    def pay(state: list, n: int):
        state.append(n)
        return "paid"

    def agent(case, messages, tools):
        if len(messages) < 3:
            return "What is your order id?"
        tools["pay"](n=1)
        return "Paid."

    trace = played(agent, sandbox=Sandbox([pay], []))
    (call,) = trace.calls
    assert (call.turn, call.answered) == (1, call.request + 1)
    assert trace.turns[1].final_response == "Paid."
    assert isinstance(trace.steps[-1], Message)
    assert isinstance(trace.turns[1].steps[2], ToolCall)


def test_what_cannot_be_is_told():
    with pytest.raises(UsageError, match="a parameter `user`"):
        played(lambda case: "x")
    words = Case("c", "Hi", scenario={"rules": ["be rude"]})
    with pytest.raises(UsageError, match="a user who is a model"):
        played(lambda case, messages: "x", words)
    with pytest.raises(UsageError, match="no goal"):
        ScriptedUser().begin(Case("c", scenario={}), 0)
    with pytest.raises(UsageError, match="call it"):
        user_of(ScriptedUser)
    with pytest.raises(UsageError, match="not 7"):
        user_of(7)
    with pytest.raises(UsageError, match="says a text"):
        spoken(7)


def mute(case, user):
    return list(user)


def wordless(case, user):
    return user.reply(user.opening and None)


def too_early(case, user):
    return user.reply("Hello?")


@pytest.mark.parametrize(
    ("agent", "said"),
    [(mute, "did not answer"), (wordless, "says a text"), (too_early, "the user speaks first")],
)
def test_an_agent_that_does_not_keep_to_the_conversation_has_failed(agent, said):
    trial = passhat.run(agent, Suite("s", [CASE]), trials=1).trials[0]
    assert trial.status == "agent_error"
    assert said in trial.reason


@pytest.mark.parametrize("agent", [leads, leads_async, answers_each])
def test_a_user_that_does_not_answer_in_time_holds_up_nobody_and_is_no_failure(agent):
    answered = threading.Event()
    told = []

    def user(messages):
        told.append(len(messages))
        answered.wait(30)

    cases = [replace(CASE, id=name, input=None) for name in "ab"]
    try:
        results = passhat.run(
            agent, Suite("s", cases), trials=1, user=user, timeout=0.5, retries=0, concurrency=2
        )
    finally:
        answered.set()
    assert told == [0, 0]
    for trial in results.trials:
        assert trial.status == "infrastructure_error"
        assert "had not answered when the time" in trial.reason


def test_what_a_case_says_before_stands_before_the_users_words():
    given = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}]
    seen = []

    def agent(case, messages):
        seen.append(messages)
        return "Hello"

    trace = played(agent, Case("c", given))
    assert seen == [given]
    assert [m.text for m in trace.messages] == ["Hi", "Hello"]


def test_a_turn_that_fails_ends_the_conversation_with_its_error():
    from passhat.trace import Trace

    def agent(case, messages):
        if len(messages) < 2:
            return "What is your order id?"
        steps = (Message("user", messages[-1]["content"]), ToolCall("pay", error="x", request=0))
        return Trace("t", steps=steps, error="KeyError: x", outcome="agent_error")

    trace = played(agent)
    assert (trace.outcome, trace.error) == ("agent_error", "KeyError: x")
    assert [step.turn for step in trace.steps] == [0, 0, 1, 1]


def test_nothing_to_say_is_told_or_taken_for_none():
    say = ScriptedUser(consent=()).begin(Case("c", "Hi"), seed=1)
    said = [say([]), say([{"role": "assistant", "content": "Shall I go on?"}])]
    assert said[1] in ScriptedUser.__dataclass_fields__["unsure"].default
    with pytest.raises(UsageError, match="unsure is what the user says"):
        ScriptedUser(unsure=[])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"content": [{"text": "Hi"}, " there", {"type": "image"}]}, "Hi there"),
        ({"content": [{"type": "text", "text": None}]}, None),
    ],
)
def test_what_a_message_says(value, said):
    assert spoken(value) == said


def test_a_message_of_what_is_no_text_is_told():
    with pytest.raises(UsageError, match=r"a user says a text or None, not \[7\]"):
        spoken([7])
