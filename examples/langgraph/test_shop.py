"""What the agent does next, and where its graph goes: `pytest test_shop.py`. Nothing is refunded."""

from langchain_core.messages import AIMessage
from shop import asks, graph

from passhat import Case, grade
from passhat_langgraph import next_calls, route_from, sample_next

REFUND = {"messages": [("user", "Refund A123")]}


def test_refund_looks_up_first():
    next_calls(graph, REFUND).expect("lookup_order", order_id="A123")


def test_refund_comes_after_the_order_was_seen(capsys):
    step = next_calls(graph, REFUND, allow={"lookup_order"})
    step.expect("issue_refund", order_id="A123", amount=49.9)
    assert capsys.readouterr().out == ""


def test_it_looks_up_every_time():
    case = Case("refund", expected_calls=["lookup_order"], mode="exact")
    assert sample_next(graph, REFUND, trials=5).pass_hat_k(3, case) == 1.0


def test_calls_go_to_the_tools():
    assert route_from(graph, "agent", {"messages": [asks("lookup_order")]}) == ("tools",)
    assert route_from(graph, "agent", {"messages": [AIMessage("Hello.")]}) == ()


def test_a_case_forbids_refunds():
    step = next_calls(graph, {"messages": [("user", "Refund B7")]}, allow={"lookup_order"})
    assert grade(step, Case("open", forbidden_calls=["issue_refund"])).status == "passed"
