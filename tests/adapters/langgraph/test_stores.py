"""The graph's store in single steps: each reads it, and writes to a store of its own."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passhat_langgraph import anext_calls, next_calls, resume, sample_next


@pytest.fixture
def remembering(scripted, shop):
    """An agent that counts its visits in the store, changes what it reads, and says what it saw."""
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition
    from langgraph.types import interrupt

    def agent(state, *, store):
        item = store.get(("visits",), "n")
        item.value["n"] += 1
        store.put(("visits",), "n", item.value)
        store.put(("seen",), f"k{item.value['n']}", {"n": item.value["n"]})
        return {"messages": [scripted.ai(f"visit {item.value['n']}", scripted.PAY)]}

    def ask(state, *, store):
        agent(state, store=store)
        interrupt("Go on?")
        return {}

    def build(saver=None, inner=False, asking=False):
        from langgraph.store.memory import InMemoryStore

        store = InMemoryStore()
        store.put(("visits",), "n", {"n": 0})
        builder = StateGraph(MessagesState)
        builder.add_node("agent", agent)
        builder.add_node("tools", ToolNode([shop.pay]))
        if asking:
            builder.add_node("ask", ask)
            builder.add_edge(START, "ask")
            builder.add_edge("ask", "agent")
        else:
            builder.add_edge(START, "agent")
        builder.add_conditional_edges("agent", tools_condition)
        if not inner:
            return builder.compile(checkpointer=saver, store=store), store
        return builder.compile(), store

    return build


def held(store):
    return [(item.namespace, item.key, item.value) for item in store.search(())]


BEFORE = [(("visits",), "n", {"n": 0})]


def test_trials_share_no_store(remembering, scripted, saver, on):
    graph, store = remembering(saver)
    for workers in (1, 4):
        steps = sample_next(graph, scripted.HI, trials=4, workers=workers)
        assert [step.text for step in steps] == ["visit 1"] * 4
    assert next_calls(graph, scripted.HI).text == "visit 1"
    assert asyncio.run(anext_calls(remembering()[0], scripted.HI)).text == "visit 1"
    assert held(store) == BEFORE
    graph.invoke(scripted.HI, on("t"), interrupt_before=["agent"])
    paused = graph.get_state(on("t")).config
    assert [step.text for step in sample_next(graph, paused, trials=3)] == ["visit 1"] * 3
    assert held(store) == BEFORE


def test_answers_share_no_store(remembering, scripted, saver, on):
    graph, store = remembering(saver, asking=True)
    graph.invoke(scripted.HI, on("t"))
    assert store.get(("visits",), "n").value == {"n": 1}, "the run itself writes"
    kept = held(store)
    assert [resume(graph, on("t"), answer).text for answer in "ab"] == ["visit 3", "visit 3"]
    assert held(store) == kept


def test_graphs_inside_write_to_the_same_store_of_the_trials_own(remembering, scripted):
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.store.memory import InMemoryStore

    inner, _ = remembering(inner=True)
    store = InMemoryStore()
    store.put(("visits",), "n", {"n": 0})
    builder = StateGraph(MessagesState)
    builder.add_node("worker", inner)
    builder.add_edge(START, "worker")
    graph = builder.compile(store=store)
    assert [s.text for s in sample_next(graph, scripted.HI, trials=2)] == ["visit 1"] * 2
    assert held(store) == BEFORE


def test_a_search_by_meaning_ranks_what_was_written_with_what_was_there():
    from langgraph.store.memory import InMemoryStore

    from passhat_langgraph.stores import OwnStore

    def embed(texts):
        return [[text.count("a") + 0.1, text.count("b") + 0.1] for text in texts]

    under = InMemoryStore(index={"dims": 2, "embed": embed, "fields": ["t"]})
    under.put(("m",), "1", {"t": "bbb"})
    under.put(("m",), "2", {"t": "ab"})
    store = OwnStore(under)
    store.put(("m",), "3", {"t": "aaa"})
    assert [item.key for item in store.search(("m",), query="aaaa", limit=2)] == ["3", "2"]
    assert [item.key for item in under.search(("m",), query="aaaa")] == ["2", "1"]


SPACES = st.sampled_from([("a",), ("a", "b"), ("c",)])
ACTS = st.lists(
    st.tuples(st.sampled_from(["put", "delete"]), SPACES, st.sampled_from("xy"), st.integers(0, 2)),
    max_size=8,
)


@settings(deadline=None, max_examples=60)
@given(before=ACTS, after=ACTS)
def test_it_answers_as_a_copy_of_the_store_would(before, after):
    from langgraph.store.memory import InMemoryStore

    from passhat_langgraph.stores import OwnStore

    under, copy = InMemoryStore(), InMemoryStore()
    own = OwnStore(under)
    for acts, stores in ((before, (under, copy)), (after, (own, copy))):
        for act, space, key, n in acts:
            for store in stores:
                if act == "put":
                    store.put(space, key, {"n": n})
                else:
                    store.delete(space, key)
    for space in [("a",), ("a", "b"), ("c",)]:
        for key in "xy":
            got, wanted = own.get(space, key), copy.get(space, key)
            assert (got and got.value) == (wanted and wanted.value)
    for prefix in [(), ("a",), ("c",)]:
        for filter in (None, {"n": 1}):
            assert _set(own, prefix, filter) == _set(copy, prefix, filter)
    assert len(own.search((), limit=1)) == len(copy.search((), limit=1))


def _set(store, prefix, filter):
    found = store.search(prefix, filter=filter, limit=100)
    return sorted((item.namespace, item.key, item.value["n"]) for item in found)
