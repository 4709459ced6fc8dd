"""Pauses for a person: in tools, in middleware, in subgraphs; what was answered, and what happens next."""

import pytest
from msgspec import UNSET

from passhat import UsageError
from passhat_langgraph import record, resume, to_trace


@pytest.fixture
def asking(shop):
    from langchain_core.tools import tool
    from langgraph.types import interrupt

    @tool
    def refund(order_id: str) -> str:
        """Refunds an order, once somebody agrees."""
        shop.done.append(f"begun {order_id}")
        answer = interrupt(f"Refund {order_id}?")
        shop.done.append(f"refunded {order_id}: {answer}")
        return f"refunded: {answer}"

    return refund


REFUND = ("refund", {"order_id": "A1"}, "r1")


def interrupts(trace):
    found = [step for step in trace.steps if type(step).__name__ == "Interrupt"]
    return [(one.value, one.pending, one.resolved, one.answer) for one in found]


def test_a_pause_in_a_tool_and_its_answer(scripted, asking, saver, on):
    from langchain.agents import create_agent
    from langgraph.types import Command

    answers = scripted.model(scripted.ai("", REFUND), scripted.ai("Done."))
    graph = create_agent(answers, [asking], checkpointer=saver)
    graph.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert trace.outcome == "interrupted"
    ((value, pending, resolved, _),) = interrupts(trace)
    assert (value, pending, resolved) == ("Refund A1?", ("r1",), False)
    graph.invoke(Command(resume="yes"), on("t"))
    (trace,) = saver.read()
    assert trace.outcome == "completed"
    assert interrupts(trace) == [("Refund A1?", ("r1",), True, "yes")]
    assert trace.calls[0].result == "refunded: yes"


def test_every_pause_of_parallel_calls_is_told(scripted, asking, saver, on):
    from langchain.agents import create_agent

    two = scripted.ai("", REFUND, ("refund", {"order_id": "A2"}, "r2"))
    graph = create_agent(scripted.model(two), [asking], checkpointer=saver)
    graph.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert [(value, pending) for value, pending, _, _ in interrupts(trace)] == [
        ("Refund A1?", ("r1",)),
        ("Refund A2?", ("r2",)),
    ]


def test_two_pauses_of_one_node_are_two_and_the_first_question_is_lost(saver, on, scripted):
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import Command, interrupt

    def ask(state):
        return {"messages": [("ai", f"{interrupt('first?')} {interrupt('second?')}")]}

    builder = StateGraph(MessagesState)
    builder.add_node("ask", ask)
    builder.add_edge(START, "ask")
    graph = builder.compile(checkpointer=saver)
    graph.invoke(scripted.HI, on("t"))
    graph.invoke(Command(resume="a"), on("t"))
    (trace,) = saver.read()
    assert [(value, resolved) for value, _, resolved, _ in interrupts(trace)] == [
        (None, True),
        ("second?", False),
    ]
    graph.invoke(Command(resume="b"), on("t"))
    (trace,) = saver.read()
    assert [(v, a) for v, _, _, a in interrupts(trace)] == [(None, "a"), ("second?", "b")]
    assert any("overwritten" in gap for gap in trace.gaps)


def side_by_side(saver, on, scripted, **questions):
    """A graph whose nodes ask side by side, each as often as it has questions."""
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import interrupt

    def node(asked):
        return lambda state: {"messages": [("ai", str([interrupt(text) for text in asked]))]}

    builder = StateGraph(MessagesState)
    for name, asked in questions.items():
        builder.add_node(name, node(asked))
        builder.add_edge(START, name)
    graph = builder.compile(checkpointer=saver)
    waiting = graph.invoke(scripted.HI, on("t"))["__interrupt__"]
    return graph, {pause.value: pause.id for pause in waiting}


def test_of_two_that_wait_side_by_side_each_has_its_own_answer(saver, on, scripted):
    from langgraph.types import Command

    graph, ids = side_by_side(saver, on, scripted, left=["left?"], right=["right?"])
    graph.invoke(Command(resume={ids["left?"]: "l"}), on("t"))
    graph.invoke(Command(resume="r"), on("t"))
    (trace,) = saver.read()
    assert {(v, a) for v, _, _, a in interrupts(trace)} == {("left?", "l"), ("right?", "r")}
    assert not any("interrupt" in gap for gap in trace.gaps)


def test_an_answer_that_nothing_assigns_is_given_to_nobody(saver, on, scripted):
    from langgraph.types import Command

    graph, ids = side_by_side(saver, on, scripted, one=["one?"], two=["two?", "three?"])
    graph.invoke(Command(resume={ids["one?"]: "a", ids["two?"]: "b"}), on("t"))
    graph.invoke(Command(resume="c"), on("t"))
    (trace,) = saver.read()
    assert not {("one?", "c"), ("three?", "b")} & {(v, a) for v, _, _, a in interrupts(trace)}
    assert all(resolved for _, _, resolved, _ in interrupts(trace))


def test_a_pause_in_a_subgraph_is_told_once(scripted, asking, saver, on):
    from langgraph.types import Command

    inner = scripted.react([scripted.ai("", REFUND), scripted.ai("Done.")], [asking])
    graph = scripted.inside(inner, saver=saver)
    graph.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert [(value, pending) for value, pending, _, _ in interrupts(trace)] == [
        ("Refund A1?", ("r1",))
    ]
    graph.invoke(Command(resume="yes"), on("t"))
    (trace,) = saver.read()
    ((value, _, resolved, answer),) = interrupts(trace)
    assert (value, resolved, answer) == ("Refund A1?", True, "yes")
    assert trace.outcome == "completed"


def watched(scripted, shop, saver, *answers, **how):
    from langchain.agents import create_agent
    from langchain.agents.middleware import HumanInTheLoopMiddleware

    asked = answers or (scripted.ai("", scripted.PAY), scripted.ai("Done."))
    middleware = [HumanInTheLoopMiddleware(interrupt_on={"pay": True}, **how)]
    return create_agent(
        scripted.model(*asked), [shop.pay, shop.lookup], checkpointer=saver, middleware=middleware
    )


EDIT = {"type": "edit", "edited_action": {"name": "pay", "args": {"order_id": "B7"}}}


def test_a_person_asked_by_middleware_approves(scripted, shop, saver, on):
    from langgraph.types import Command

    graph = watched(scripted, shop, saver)
    graph.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert [(pending, resolved) for _, pending, resolved, _ in interrupts(trace)] == [
        (("p1",), False)
    ]
    graph.invoke(Command(resume={"decisions": [{"type": "approve"}]}), on("t"))
    (trace,) = saver.read()
    assert (trace.calls[0].executed, trace.calls[0].node) == (True, "tools")


def test_a_person_rejects_and_the_call_did_not_run(scripted, shop, saver, on):
    from langgraph.types import Command

    graph = watched(scripted, shop, saver)
    graph.invoke(scripted.HI, on("t"))
    decided = {"decisions": [{"type": "reject", "message": "no"}]}
    graph.invoke(Command(resume=decided), on("t"))
    (trace,) = saver.read()
    assert trace.calls[0].executed is False
    assert trace.calls[0].error is not None
    assert shop.done == []


def test_a_person_edits_and_the_call_has_what_ran_and_what_was_asked(scripted, shop, saver, on):
    from langgraph.types import Command

    graph = watched(scripted, shop, saver)
    graph.invoke(scripted.HI, on("t"))
    graph.invoke(Command(resume={"decisions": [EDIT]}), on("t"))
    (trace,) = saver.read()
    (call,) = trace.calls
    assert call.args == {"order_id": "B7"}
    assert call.extensions["asked"] == {"name": "pay", "args": {"order_id": "A1"}}
    assert shop.done == ["pay B7"]


def test_resume_tries_every_answer_from_the_same_place_and_runs_no_tool(
    scripted, shop, saver, on, raised
):
    graph = watched(scripted, shop, saver)
    graph.invoke(scripted.HI, on("t"))
    before = saver.read()
    resume(graph, on("t"), "approve").expect("pay", order_id="A1")
    resume(graph, on("t"), EDIT).expect("pay", order_id="B7")
    rejected = resume(graph, on("t"), "reject").expect_answer()
    assert rejected.text == "Done."
    assert [(call.name, call.executed) for call in rejected.settled] == [("pay", False)]
    resume(graph, on("t"), ["approve"]).expect("pay")
    assert shop.done == []
    assert saver.read() == before
    allowed = resume(graph, on("t"), "approve", allow="*")
    assert (allowed.text, shop.done) == ("Done.", ["pay A1"])
    assert saver.read() == before


def test_resume_goes_on_inside_a_tool_that_may_run_and_never_gives_a_stale_answer(
    scripted, asking, shop, saver, on
):
    from langgraph.types import Command

    graph = scripted.react([scripted.ai("", REFUND), scripted.ai("Done.")], [asking], saver=saver)
    graph.invoke(scripted.HI, on("t"))
    waiting = graph.get_state(on("t")).config
    for answer in ("yes", "no", "yes"):
        step = resume(graph, waiting, answer, allow={"refund"})
        assert step.settled[0].result == f"refunded: {answer}"
    graph.invoke(Command(resume="yes"), on("t"))
    assert resume(graph, waiting, "no", allow={"refund"}).settled[0].result == "refunded: no"


def test_resume_in_a_subgraph(scripted, asking, saver, on):
    inner = scripted.react([scripted.ai("", REFUND), scripted.ai("Done.")], [asking])
    graph = scripted.inside(inner, saver=saver)
    graph.invoke(scripted.HI, on("t"))
    for answer in ("yes", "no"):
        step = resume(graph, on("t"), answer, allow={"refund"})
        assert step.settled[0].result == f"refunded: {answer}"


def test_several_pauses_take_one_answer_or_one_each(scripted, asking, saver, on):
    from langchain.agents import create_agent

    two = scripted.ai("", REFUND, ("refund", {"order_id": "A2"}, "r2"))
    graph = create_agent(scripted.model(two, scripted.ai("Done.")), [asking], checkpointer=saver)
    graph.invoke(scripted.HI, on("t"))
    same = resume(graph, on("t"), "yes", allow="*")
    assert [call.result for call in same.settled] == ["refunded: yes", "refunded: yes"]
    ids = [pause.id for pause in graph.get_state(on("t")).interrupts]
    each = resume(graph, on("t"), dict(zip(ids, ("yes", "no"), strict=True)), allow="*")
    assert sorted(call.result for call in each.settled) == ["refunded: no", "refunded: yes"]


def test_calls_that_wait_one_by_one_are_named_in_the_pause(scripted, shop, saver, on):
    scripted.asking_one_by_one("pay")  # It skips where nothing asks so.
    graph = watched(scripted, shop, saver, interrupt_mode="per_call")
    graph.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert [pending for _, pending, _, _ in interrupts(trace)] == [("p1",)]
    assert resume(graph, on("t"), "approve", allow="*").settled[0].result == "paid"


def test_nothing_that_waits_is_an_error(scripted, shop, saver, on, raised):
    graph = scripted.react([scripted.ai("Hello.")], [shop.lookup], saver=saver)
    graph.invoke(scripted.HI, on("t"))
    with raised(UsageError, "nothing waits"):
        resume(graph, on("t"), "yes")
    with raised(UsageError, "nowhere"):
        resume(graph, on("nowhere"), "yes")


def test_a_recorded_run_that_goes_on_gives_the_whole_thread(scripted, asking, saver, on):
    from langgraph.types import Command

    graph = scripted.react([scripted.ai("", REFUND), scripted.ai("Done.")], [asking], saver=saver)
    first = record(graph, scripted.HI, on("t"))
    assert first.outcome == "interrupted"
    assert interrupts(first)[0][:2] == ("Refund A1?", ("r1",))
    whole = record(graph, Command(resume="yes"), on("t"))
    assert whole.calls[0].result == "refunded: yes"
    assert whole == to_trace(graph, on("t"), states=True)


def per_call(scripted, shop, saver):
    from langchain.agents import create_agent

    asking = scripted.asking_one_by_one("pay", "lookup")
    asked = scripted.model(scripted.ai("", scripted.PAY, scripted.LOOKUP), scripted.ai("done"))
    return create_agent(asked, [shop.pay, shop.lookup], middleware=[asking], checkpointer=saver)


def test_calls_that_wait_one_by_one_take_one_decision_each(scripted, shop, saver, on, raised):
    graph = per_call(scripted, shop, saver)
    graph.invoke(scripted.HI, on("t"))
    edit = {"type": "edit", "edited_action": {"name": "pay", "args": {"order_id": "B9"}}}
    step = resume(graph, on("t"), [edit, "reject"])
    assert [(call.name, call.args) for call in step.calls] == [("pay", {"order_id": "B9"})]
    assert [(call.name, call.executed) for call in step.settled] == [("lookup", False)]
    assert shop.done == []
    with raised(UsageError, "3 decisions", "2 calls wait"):
        resume(graph, on("t"), ["approve", "reject", "approve"])


def test_a_stored_call_that_was_refused_by_itself_did_not_run(scripted, shop, saver, on):
    from langgraph.types import Command

    graph = per_call(scripted, shop, saver)
    graph.invoke(scripted.HI, on("t"))
    pauses = graph.get_state(on("t")).interrupts
    kinds = {pause.value["name"]: pause.id for pause in pauses}
    graph.invoke(
        Command(resume={kinds["pay"]: {"type": "reject"}, kinds["lookup"]: {"type": "approve"}}),
        on("t"),
    )
    [trace] = saver.read()
    assert [(call.name, call.executed) for call in trace.calls] == [
        ("pay", False),
        ("lookup", True),
    ]
    assert shop.done == ["lookup A1"]


@pytest.mark.parametrize("kind", ["pause", "failure"])
def test_durability_exit_after_a_stop_keeps_the_answer_and_states_the_gap(
    kind, scripted, saver, on
):
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import Command, interrupt

    tried = []

    def node(state):
        tried.append(1)
        if kind == "failure" and len(tried) == 1:
            raise ValueError("kaput")
        return {"messages": [scripted.ai(interrupt("Which?") if kind == "pause" else "A1")]}

    builder = StateGraph(MessagesState)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    graph = builder.compile(checkpointer=saver)
    if kind == "pause":
        graph.invoke(scripted.HI, on("t"), durability="exit")
        graph.invoke(Command(resume="A1"), on("t"), durability="exit")
    else:
        with pytest.raises(ValueError, match="kaput"):
            graph.invoke(scripted.HI, on("t"), durability="exit")
        graph.invoke(None, on("t"), durability="exit")
    [trace] = saver.read()
    assert (trace.final_response, trace.outcome, trace.error) == ("A1", "completed", None)
    assert any(gap.startswith("calls: durability=exit") for gap in trace.gaps)


@pytest.fixture
def waiting(scripted):
    """A graph in which one node asks somebody, while another node beside it has run."""
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import interrupt

    def ask(state):
        return {"messages": [scripted.ai(f"They said {interrupt('Go on?')}.")]}

    def build(saver):
        builder = StateGraph(MessagesState)
        builder.add_node("ask", ask)
        builder.add_node("beside", lambda state: {"messages": [scripted.ai("Beside.")]})
        builder.add_node("after", lambda state: {"messages": [scripted.ai("After.")]})
        builder.add_edge(START, "ask")
        builder.add_edge(START, "beside")
        builder.add_edge("ask", "after")
        return builder.compile(checkpointer=saver)

    return build


PASSED_OVER = "an interrupt was passed over: the state was updated while it waited"


@pytest.mark.parametrize("store", ["sqlite", "memory"])
def test_an_update_while_a_pause_waits_keeps_the_pause_and_says_that_nobody_answered(
    store, waiting, scripted, saver, on
):
    from langgraph.checkpoint.memory import InMemorySaver

    held = saver if store == "sqlite" else InMemorySaver()
    graph = waiting(held)
    graph.invoke(scripted.HI, on("t"))
    graph.update_state(on("t"), {"messages": [scripted.ai("Instead.")]}, as_node="ask")
    for said in (["Beside.", "Instead."], ["Beside.", "Instead.", "After."]):
        trace = to_trace(graph, on("t"))
        assert interrupts(trace) == [("Go on?", (), False, UNSET)]
        assert PASSED_OVER in trace.gaps
        assert (trace.outcome, len(trace.turns)) == ("completed", 1)
        told = [step.text for step in trace.steps if type(step).__name__ == "Message"]
        assert sorted(told[1:]) == sorted(said)
        assert [visit.node for visit in trace.nodes][:2] == ["ask", "beside"]
        graph.invoke(None, on("t"))


def test_an_update_beside_an_answered_pause_is_a_branch_of_its_own(waiting, scripted, saver, on):
    from langgraph.types import Command

    graph = waiting(saver)
    graph.invoke(scripted.HI, on("t"))
    paused = graph.get_state(on("t"))
    graph.invoke(Command(resume="yes"), on("t"))
    instead = {"messages": [scripted.ai("Instead.")]}
    graph.update_state(paused.config, instead, as_node="ask")
    traces = saver.read()
    answered = next(t for t in traces if interrupts(t))
    other = next(t for t in traces if t is not answered)
    assert interrupts(answered) == [("Go on?", (), True, "yes")]
    assert {visit.node for visit in answered.nodes} == {"ask", "beside", "after"}
    assert other.final_response == "Instead."
    assert PASSED_OVER not in answered.gaps + other.gaps


def test_a_tool_that_ran_beside_a_pause_that_was_passed_over_did_run(
    scripted, shop, asking, saver, on
):
    from langchain.agents import create_agent
    from langchain_core.messages import ToolMessage

    both = scripted.ai("", scripted.PAY, REFUND)
    model = scripted.model(both, scripted.ai("Done."))
    graph = create_agent(model, [shop.pay, asking], checkpointer=saver)
    graph.invoke(scripted.HI, on("t"))
    refused = [ToolMessage("not now", tool_call_id=id) for id in ("p1", "r1")]
    graph.update_state(on("t"), {"messages": refused}, as_node="tools")
    graph.invoke(None, on("t"))
    (trace,) = saver.read()
    assert "pay A1" in shop.done
    assert trace.calls[0].executed is True
    assert interrupts(trace) == [("Refund A1?", ("r1",), False, UNSET)]
    assert trace.final_response == "Done."
