"""Where a step goes on from: past what only hands on, past copies, and from what a person answered."""

from typing import Annotated, TypedDict

import pytest

from passhat import UsageError
from passhat_langgraph import next_calls, sample_next


def test_a_copy_of_a_message_in_another_channel_asks_for_nothing_more(scripted, shop, saver, on):
    from langgraph.graph import START, StateGraph
    from langgraph.graph.message import add_messages
    from langgraph.prebuilt import ToolNode, tools_condition

    class State(TypedDict, total=False):
        messages: Annotated[list, add_messages]
        last: object

    model = scripted.model(scripted.ai("", scripted.PAY), scripted.ai("All paid."))

    def agent(state):
        said = model.invoke(state["messages"])
        return {"messages": [said], "last": said}

    builder = StateGraph(State)
    builder.add_node("agent", agent)
    builder.add_node("tools", ToolNode([shop.pay]))
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", tools_condition)
    builder.add_edge("tools", "agent")
    graph = builder.compile(checkpointer=saver)
    graph.invoke(scripted.HI, on("t"), interrupt_after=["tools"])
    step = next_calls(graph, on("t"))
    assert (step.text, step.tried, step.gaps) == ("All paid.", (), ())
    assert [step.text for step in sample_next(graph, on("t"), trials=2)] == ["All paid."] * 2


def test_a_message_that_is_given_anew_asks_for_what_it_says_now(scripted, done, by_hand, saver, on):
    graph = scripted.line(saver, tools=by_hand)
    graph.update_state(on("t"), {"messages": [scripted.ai("Wait.", id="m1")]}, as_node="tools")
    edited = {"messages": [scripted.ai("", scripted.PAY, id="m1")]}
    step = next_calls(graph, edited, config=on("t"))
    assert (done, step.tried) == ([], ("tools",))


def test_samples_go_on_past_calls_that_only_hand_on_from_where_they_wait(
    scripted, saver, on, raised
):
    from langgraph.graph import START, MessagesState, StateGraph

    handing = ("to_billing", {}, "h1")
    model = scripted.model(scripted.ai("", handing), scripted.ai("", scripted.PAY))
    agent = lambda state: {"messages": [model.invoke(state["messages"])]}  # noqa: E731
    enter = lambda state: {  # noqa: E731
        "messages": [{"role": "tool", "tool_call_id": "h1", "content": "handed on"}]
    }
    builder = StateGraph(MessagesState)
    builder.add_node("agent", agent)
    builder.add_node("enter", enter)
    builder.add_node("billing", agent)
    builder.add_edge(START, "agent")
    builder.add_edge("agent", "enter")
    builder.add_edge("enter", "billing")
    graph = builder.compile(checkpointer=saver)
    graph.invoke(scripted.HI, on("t"), interrupt_before=["enter"])
    place = graph.get_state(on("t"))
    steps = sample_next(graph, place, trials=2, allow="to_billing")
    assert [[call.name for call in step.calls] for step in steps] == [["pay"]] * 2
    with raised(UsageError, "its calls wait"):
        sample_next(graph, place, trials=1, allow="pay")


def test_a_command_answers_a_review_that_a_node_asks_for(scripted, shop, saver, on):
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode
    from langgraph.types import Command, interrupt

    model = scripted.model(scripted.ai("", scripted.PAY), scripted.ai("Never mind, then."))

    def review(state):
        if interrupt("May it pay?") == "yes":
            return Command(goto="tools")
        said = {"role": "tool", "tool_call_id": "p1", "content": "declined"}
        return Command(goto="agent", update={"messages": [said]})

    builder = StateGraph(MessagesState)
    builder.add_node("agent", lambda state: {"messages": [model.invoke(state["messages"])]})
    builder.add_node("review", review, destinations=("tools", "agent"))
    builder.add_node("tools", ToolNode([shop.pay]))
    builder.add_edge(START, "agent")
    builder.add_conditional_edges(
        "agent", lambda state: "review" if state["messages"][-1].tool_calls else "__end__"
    )
    graph = builder.compile(checkpointer=saver)
    graph.invoke(scripted.HI, on("t"))
    step = next_calls(graph, Command(resume="yes"), config=on("t"))
    assert (step.tried, shop.done) == (("pay",), [])
    step.expect("pay")
    assert next_calls(graph, Command(resume="no"), config=on("t")).text == "Never mind, then."


@pytest.mark.parametrize(
    "said",
    [
        "And A2?",
        ["Well.", "And A2?"],
        ("human", "And A2?"),
        {"role": "human", "content": "And A2?"},
        [["user", "And A2?"]],
    ],
)
def test_the_user_goes_on_in_whatever_form_the_words_are_given(said, scripted, shop, saver, on):
    answers = [scripted.ai("", scripted.LOOKUP), scripted.ai("That is lost.")]
    graph = scripted.react(answers, [shop.lookup], saver=saver)
    graph.invoke(scripted.HI, on("t"), interrupt_before=["tools"])
    step = next_calls(graph, {"messages": said}, config=on("t"))
    assert (step.text, step.calls, step.tried) == ("That is lost.", (), ())
