"""A PostgresSaver's database, written by the real library on a server of the tests' own."""

import pytest

from passhat import InputError, TraceError, score
from passhat_langgraph import read_checkpoints, to_trace


@pytest.fixture
def address(postgres):
    from psycopg import connect

    url = postgres.replace("+psycopg", "")
    with connect(url, autocommit=True) as db:
        db.execute("drop schema public cascade")
        db.execute("create schema public")
    return url


@pytest.fixture
def kept(address):
    from langgraph.checkpoint.postgres import PostgresSaver

    with PostgresSaver.from_conn_string(address) as saver:
        saver.setup()
        yield saver


def play(scripted, shop, kept, on, *threads):
    answers = [scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped.")]
    inner = scripted.react(answers, [shop.lookup])
    graph = scripted.inside(inner, saver=kept)
    for thread in threads:
        graph.invoke(scripted.HI, on(thread))
    return graph


def test_threads_are_read_as_from_a_file(address, scripted, shop, kept, saver, on):
    graph = play(scripted, shop, kept, on, "one", "two")
    play(scripted, shop, saver, on, "one")
    found = list(read_checkpoints(address, states=True))
    assert [trace.id for trace in found] == ["one", "two"]
    (same,) = saver.read(states=True)

    def told(trace):
        visits = [("/".join((*v.path, v.node)), v.step) for v in trace.nodes]
        calls = [(c.name, c.args, c.result, c.node, c.path, c.request) for c in trace.calls]
        texts = [row["content"] for row in trace.final_state["messages"]]
        return visits, calls, [m.text for m in trace.messages], texts, trace.gaps

    assert told(found[0]) == told(same)
    assert to_trace(graph, on("one"), states=True) == found[0]
    assert [trace.id for trace in read_checkpoints(address, thread="two")] == ["two"]


def test_a_database_is_scored_by_its_address(address, scripted, shop, kept, on, tmp_path):
    play(scripted, shop, kept, on, "one")
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        "schema: passhat.suite/1\nname: s\ncases:\n  - {id: one, input: x, expected_calls: [lookup]}\n"
    )
    results = score(f"langgraph:{address}", suite)
    assert [trial.status for trial in results.trials] == ["passed"]


def test_a_blob_that_cannot_be_read_costs_its_thread_alone(address, scripted, shop, kept, on):
    play(scripted, shop, kept, on, "one", "two")
    kept.conn.execute(
        "update checkpoint_writes set type = 'pickle' where thread_id = 'one' and channel = 'messages'"
    )
    found = list(read_checkpoints(address))
    assert isinstance(found[0], TraceError)
    assert "thread 'one': checkpoint 1" in str(found[0])
    assert found[1].id == "two"


def test_other_databases_are_refused_and_passwords_kept(address, raised):
    with raised(InputError, "no table checkpoints"):
        list(read_checkpoints(address))
    with pytest.raises(InputError) as caught:
        list(read_checkpoints("postgresql://ann:secret@127.0.0.1:1/none?connect_timeout=2"))
    assert "secret" not in str(caught.value)
    assert "ann@127.0.0.1" in str(caught.value)
