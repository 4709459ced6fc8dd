"""What LangGraph really does, each with the test that guards passhat against it; and those that had none."""

import re
from pathlib import Path

import pytest

from passhat import UsageError
from passhat_langgraph import next_calls, read_checkpoints, record, resume, sample_next, to_trace
from passhat_langgraph.messages import calls_sent

TRAPS = {
    # Checkpoints, snapshots, history.
    "a checkpoint is the state before its tasks": "test_states_hold_the_graphs_own_channels",
    "an error that is read back is a text": "test_a_failure_is_an_agent_error_with_its_node",
    "several writes to one channel are folded": "test_several_writes_to_one_channel_are_all_told",
    "ids do not grow with time": "test_ids_that_do_not_grow_with_time_are_followed_by_their_links",
    "writes of tasks that ran stay pending forever": "test_a_checkpoint_in_the_middle_gives_the_trace_up_to_it",
    "metadata holds no writes, as it did before 0.5": "test_an_older_server_keeps_writes_in_the_metadata_of_what_follows",
    "a thread goes on with another input": "test_several_invocations_of_a_thread_are_turns",
    "a history mixes its branches, and a replay forks": "test_a_replay_gives_a_branch_of_its_own_and_forks_do_not_mix",
    "durability exit keeps one checkpoint": "test_durability_exit_is_a_stated_gap",
    "durability exit after a stop": "test_durability_exit_after_a_stop_keeps_the_answer_and_states_the_gap",
    "a list gives all namespaces, a history one": "test_a_subgraph_is_found_by_its_namespace_and_its_calls_are_the_graphs_own",
    "agents in tools are no subgraphs": "test_an_agent_hidden_in_a_tool_is_found_and_its_calls_belong_to_that_call",
    "a lasting subgraph has one namespace": "test_a_lasting_subgraph_is_read_run_by_run",
    "tasks of workflows have no names": "test_workflows_of_the_functional_api_keep_results_and_say_that_names_are_gone",
    "a sent task's node stands in the checkpoint": "test_a_fan_out_by_send_names_its_node_for_each_task",
    "old databases have no task_path": "test_a_database_from_before_task_paths_is_read",
    "the stock decoder imports what a blob names": "test_what_a_blob_names_is_never_imported_or_run",
    "pickled, encrypted and legacy blobs": "test_a_blob_that_cannot_be_read_costs_its_thread_alone",
    "every kind of extension has its form": "test_objects_become_their_fields_beside_the_name_of_their_class",
    "a stale channel of sends stays listed": "test_what_comes_next_is_told_by_what_was_sent_last",
    "delta channels are not in every checkpoint": "test_delta_channels_are_put_together_from_what_was_written",
    "a copied delta thread runs with no messages": "test_delta_channels_are_copied_whole",
    "PostgreSQL has another layout": "test_threads_are_read_as_from_a_file",
    "a database is read while it is written": "test_a_file_is_read_while_another_process_writes_it",
    # Interrupts, single steps, forks.
    "a misspelled breakpoint is passed over": "test_a_misspelled_breakpoint_is_an_error_before_anything_runs",
    "a breakpoint does not reach into subgraphs": "test_a_breakpoint_that_is_inside_a_subgraph_is_an_error_that_names_it",
    "a breakpoint stops without a checkpointer too": "test_breakpoints_stop_and_their_names_are_checked",
    "a static breakpoint leaves no interrupt": "test_a_static_breakpoint_leaves_the_call_unrun",
    "a body runs again as far as its pause": "test_a_stored_body_ran_again_after_its_pause_was_answered",
    "a tool node runs its finished calls again": "test_a_tool_node_that_ran_its_calls_again_claims_no_number",
    "a tool node tells the first pause alone": "test_a_tool_node_with_two_pauses_tells_the_one_that_is_stored",
    "parallel tasks tell every pause": "test_every_pause_of_parallel_calls_is_told",
    "several pauses take answers by id alone": "test_several_pauses_take_one_answer_or_one_each",
    "an answer at a checkpoint is given again": "test_resume_goes_on_inside_a_tool_that_may_run_and_never_gives_a_stale_answer",
    "an update takes the place of what waits": "test_an_update_while_a_pause_waits_keeps_the_pause_and_says_that_nobody_answered",
    "what is sent to tools has two forms": "test_calls_are_sent_to_tools_in_either_form",
    "a batch of decisions names no call": "test_a_person_asked_by_middleware_approves",
    "a decision by itself names its call": "test_calls_that_wait_one_by_one_are_named_in_the_pause",
    "messages lie in channels of any name": "test_pending_calls_in_a_channel_of_another_name_are_listed",
    "handled tool errors swallow exceptions": "test_all_pending_calls_are_listed_and_nothing_runs",
    "code swallows the stop": "test_code_that_swallows_the_stop_settles_nothing",
    "plain functions are no tools": "test_decisions_in_plain_json_do_not_run",
    "the barrier's stop is logged as a warning": "test_a_stopped_tool_logs_nothing",
    "a replay moves the head of the thread": "test_samples_decide_anew_and_leave_the_thread_alone",
    "copied writes give the old decision": "test_samples_decide_anew_and_leave_the_thread_alone",
    "a cache gives the old decision": "test_a_cached_node_is_asked_again",
    "trials in threads": "test_samples_from_many_threads_do_not_meet",
    "trials share the store": "test_trials_share_no_store",
    "a subgraph's checkpoint runs it all anew": "test_a_subgraphs_checkpoint_is_sampled_alone_without_running_it_anew",
    "nodes that need a runtime do not run by themselves": "test_a_node_runs_alone_with_its_context",
    "the model node needs a runtime": "test_the_model_of_create_agent_runs_alone",
    "a node leads on by its own command": "test_a_node_that_leads_on_by_its_own_command_is_run_for_its_route",
    # Complaints in public.
    "agentevals#49: graph trajectories in one mode": "test_parallel_nodes_share_their_step",
    "agentevals#40: Command and Send are missed": "test_supervisors_hand_over_with_commands_to_the_parent",
    "agentevals#52: extraction breaks without metadata.writes": "test_graph_trajectories_hold_where_theirs_break",
    "agentevals#66: no reason for a failure": "test_a_failed_expectation_shows_the_alignment",
    "openevals#107: the state in the end cannot be judged": "test_states_hold_the_graphs_own_channels",
    "openevals#111: one message a turn": "test_an_agent_plays_a_case_turn_by_turn_and_leaves_its_checkpointer_alone",
    "langgraph#8458: replay of a subgraph": "test_a_subgraphs_checkpoint_is_sampled_alone_without_running_it_anew",
    "langgraph#6663, #7361: other answers to one pause": "test_resume_tries_every_answer_from_the_same_place_and_runs_no_tool",
    "langgraph#6624, #6533: pauses in parallel": "test_a_tool_node_with_two_pauses_tells_the_one_that_is_stored",
    "langgraph#941: which node a checkpoint is of": "test_a_thread_becomes_a_trace_with_calls_results_nodes_and_times",
    "langgraph#7843: slow histories": "test_a_thousand_checkpoints_become_a_trajectory_and_no_state_is_decoded",
    "deepagents#5131, #5136: subagents in tools": "test_an_agent_hidden_in_a_tool_is_found_and_its_calls_belong_to_that_call",
    "langgraph-studio#197: breakpoints in subgraphs": "test_a_breakpoint_that_is_inside_a_subgraph_is_an_error_that_names_it",
}  # fmt: skip


def test_every_trap_has_its_test():
    source = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    there = set(re.findall(r"^\s*(?:async )?def (test_\w+)", source, re.MULTILINE))
    assert sorted(set(TRAPS.values()) - there) == []


def test_ids_that_do_not_grow_with_time_are_followed_by_their_links(scripted, shop, saver, on):
    answers = [scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped.")]
    graph = scripted.react(answers, [shop.lookup], saver=saver)
    graph.invoke(scripted.HI, on("t"))
    (before,) = saver.read()
    ids = [row[0] for row in saver.conn.execute("select checkpoint_id from checkpoints")]
    # As if every checkpoint came from another process, whose clock ran the other way.
    for old, new in zip(sorted(ids), (f"{n:08d}" for n in range(len(ids), 0, -1)), strict=True):
        for table, column in (
            ("checkpoints", "checkpoint_id"),
            ("checkpoints", "parent_checkpoint_id"),
            ("writes", "checkpoint_id"),
        ):
            saver.conn.execute(f"update {table} set {column} = ? where {column} = ?", (new, old))
    saver.conn.commit()
    (after,) = saver.read()
    told = [(call.name, call.args, call.result) for call in after.calls]
    assert told == [("lookup", {"order_id": "A1"}, {"status": "shipped"})]
    assert [visit.node for visit in after.nodes] == [visit.node for visit in before.nodes]
    assert after.final_response == "Shipped."


def test_what_comes_next_is_told_by_what_was_sent_last(scripted, saver, on):
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import Send

    builder = StateGraph(MessagesState)
    builder.add_node("plan", lambda state: {})
    builder.add_node("work", lambda state: {"messages": [scripted.ai("worked")]})
    builder.add_node("sum", lambda state: {"messages": [scripted.ai("summed")]})
    builder.add_node("last", lambda state: {})
    builder.add_edge(START, "plan")
    builder.add_conditional_edges("plan", lambda state: [Send("work", {"messages": []})] * 2)
    builder.add_edge("work", "sum")
    builder.add_edge("sum", "last")
    for stop in ("work", "sum", "last"):
        graph = builder.compile(checkpointer=saver)
        graph.invoke(scripted.HI, on(stop), interrupt_before=[stop])
        trace = to_trace(saver, stop)
        assert sorted(trace.extensions["next"]) == sorted(graph.get_state(on(stop)).next)
        assert set(trace.extensions["next"]) == {stop}
    assert all(trace.outcome == "interrupted" for trace in saver.read())


@pytest.mark.parametrize("run", [next_calls, record])
def test_a_breakpoint_that_is_inside_a_subgraph_is_an_error_that_names_it(
    run, scripted, shop, raised
):
    inner = scripted.react([scripted.ai("", scripted.PAY)], [shop.pay])
    graph = scripted.inside(inner)
    with raised(UsageError, "no node 'tools'", "worker/tools is inside a subgraph"):
        run(graph, scripted.HI, interrupt_before=["tools"])
    assert shop.done == []


@pytest.fixture
def two_pauses(scripted, shop, saver):
    """One node that runs three calls: one that is done, and two that wait for somebody."""
    from langchain_core.tools import tool
    from langgraph.types import interrupt

    @tool
    def refund(order_id: str) -> str:
        """Refunds an order, once somebody agrees."""
        return f"refunded: {interrupt(f'Refund {order_id}?')}"

    calls = [scripted.PAY, *(("refund", {"order_id": f"A{n}"}, f"r{n}") for n in (1, 2))]
    answers = [scripted.ai("", *calls), scripted.ai("Done.")]
    return scripted.react(answers, [shop.pay, refund], saver=saver)


def test_a_tool_node_with_two_pauses_tells_the_one_that_is_stored(two_pauses, scripted, saver, on):
    two_pauses.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    (pause,) = [step for step in trace.steps if type(step).__name__ == "Interrupt"]
    assert pause.value in ("Refund A1?", "Refund A2?")
    assert set(pause.pending) == {"p1", "r1", "r2"}, "any of them may be the one that asks"
    step = resume(two_pauses, on("t"), "yes")
    assert {call.name for call in step.calls} == {"pay", "refund"}


def test_a_tool_node_that_ran_its_calls_again_claims_no_number(
    two_pauses, scripted, shop, saver, on
):
    from langgraph.types import Command

    two_pauses.invoke(scripted.HI, on("t"))
    two_pauses.invoke(Command(resume="yes"), on("t"))
    two_pauses.invoke(Command(resume="yes"), on("t"))
    assert len(shop.done) > 1, "LangGraph runs the finished call again with every answer"
    (trace,) = saver.read()
    assert [call.attempts for call in trace.calls] == [None, None, None]
    assert trace.final_response == "Done."


@pytest.mark.parametrize(
    "arg",
    [
        [{"name": "pay", "args": {"n": 1}, "id": "p1", "type": "tool_call"}],
        {"name": "pay", "args": {"n": 1}, "id": "p1", "type": "tool_call"},
        {
            "__type": "tool_call_with_context",
            "tool_call": {"name": "pay", "args": {"n": 1}, "id": "p1", "type": "tool_call"},
            "state": {"messages": []},
        },
    ],
    ids=["list", "call", "with context"],
)
def test_calls_are_sent_to_tools_in_either_form(arg, scripted, shop):
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import Command, Send

    assert [call["id"] for call in calls_sent(arg)] == ["p1"]
    done = []
    builder = StateGraph(MessagesState)
    builder.add_node("agent", lambda state: Command(goto=[Send("tools", arg)]))
    builder.add_node("tools", lambda sent: done.append(sent))
    builder.add_edge(START, "agent")
    step = next_calls(builder.compile(), scripted.HI)
    assert done == []
    assert step.tried == ("tools",)


def test_pending_calls_in_a_channel_of_another_name_are_listed(scripted, shop, saver, on):
    from typing import Annotated, TypedDict

    from langgraph.graph import START, StateGraph, add_messages
    from langgraph.prebuilt import ToolNode

    class State(TypedDict):
        talk: Annotated[list, add_messages]

    builder = StateGraph(State)
    builder.add_node("agent", lambda state: {"talk": [scripted.ai("", scripted.PAY)]})
    builder.add_node("tools", ToolNode([shop.pay], messages_key="talk"))
    builder.add_edge(START, "agent")
    builder.add_edge("agent", "tools")
    graph = builder.compile(checkpointer=saver)
    given = {"talk": [("user", "Pay A1")]}
    assert [call.id for call in next_calls(graph, given).calls] == ["p1"]
    graph.invoke(given, on("t"), interrupt_before=["tools"])
    assert [step.calls[0].id for step in sample_next(graph, on("t"), trials=2)] == ["p1", "p1"]
    (trace,) = list(read_checkpoints(saver.path))
    assert [(call.id, call.executed) for call in trace.calls] == [("p1", None)]
    assert shop.done == []


def test_a_stopped_tool_logs_nothing(scripted, shop, caplog):
    graph = scripted.react([scripted.ai("", scripted.PAY)], [shop.pay], handle_tool_errors=True)
    assert next_calls(graph, scripted.HI).tried == ("pay",)
    assert [record.getMessage() for record in caplog.records] == []
