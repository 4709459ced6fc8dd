"""Suites pushed to datasets and pulled from them, with the real client and a server that fails."""

import io
import json
from base64 import b64encode
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from passhat.case import Case, Suite
from passhat.errors import PasshatError, UsageError
from passhat_langsmith import Pushed, adapter, from_suite, pull_suite, push_suite, to_suite
from passhat_langsmith.pushing import examples_for, same
from passhat_langsmith.storing import with_files

langsmith = pytest.importorskip("langsmith")
requests = pytest.importorskip("requests")

Json = dict[str, Any]
ID = "00000000-0000-4000-8000-0000000000e1"
SUITE = Suite(
    "refunds",
    [
        Case(
            "z",
            "Where is A1?",
            expected_calls=[{"name": "lookup", "args": {"id": "A1"}}],
            metadata={"dataset_split": ["hard"], "team": 1},
            tags=("a",),
        ),
        Case("a", {"question": "x"}, response={"includes": ["y"]}, reference={"any": [1.0]}),
        Case("m", [{"role": "user", "content": "hi"}], expected_calls=[], trials=3),
    ],
    tools={"lookup": {"type": "object"}, "refund": {}},
    writes=("refund",),
    checks={"budget": {"required": False}},
)


def changed(suite: Suite, id: str, **more: Any) -> Suite:
    cases = [replace(one, **more) if one.id == id else one for one in suite.cases]
    return Suite(suite.name, cases, suite.tools, suite.writes, checks=suite.checks)


def test_what_is_pushed_comes_back_whole_and_in_order(server: Any, client: Any) -> None:
    pushed = push_suite(client, SUITE)
    assert pushed.created == ("z", "a", "m")
    assert pull_suite(client, "refunds") == SUITE
    held = {one["id"]: one for one in server.examples("refunds")}
    assert held.keys() == {one["id"] for one in from_suite(SUITE)}
    first = held[from_suite(SUITE)[0]["id"]]
    assert first["metadata"]["dataset_split"] == ["hard"]
    assert first["outputs"]["expected_calls"] == [{"name": "lookup", "args": {"id": "A1"}}]
    assert first["metadata"]["team"] == 1


def test_pushing_twice_changes_nothing(server: Any, client: Any) -> None:
    push_suite(client, SUITE)
    before, asked = json.dumps(server.examples("refunds")), len(server.asked)
    again = push_suite(client, SUITE)
    assert again == Pushed("refunds", again.dataset_id, unchanged=3)
    assert json.dumps(server.examples("refunds")) == before
    assert not [one for one in server.asked[asked:] if not one.startswith("GET")]


def test_a_changed_case_updates_its_example_and_no_other(server: Any, client: Any) -> None:
    push_suite(client, SUITE)
    before = {one["id"]: one for one in server.examples("refunds")}
    new = Suite(
        "refunds",
        [Case("new", "First."), *changed(SUITE, "a", response={"includes": ["z"]}).cases],
        SUITE.tools,
        SUITE.writes,
        checks=SUITE.checks,
    )
    pushed = push_suite(client, new)
    assert (pushed.created, pushed.updated, pushed.unchanged) == (("new",), ("a",), 2)
    after = {one["id"]: one for one in server.examples("refunds")}
    touched = [id for id in before if after[id] != before[id]]
    assert len(touched) == 1
    assert after[touched[0]]["created_at"] == before[touched[0]]["created_at"]
    assert pull_suite(client, "refunds").by_id == new.by_id


def test_what_was_edited_in_langsmith_is_left_and_told(server: Any, client: Any) -> None:
    push_suite(client, SUITE)
    (example,) = (one for one in server.examples("refunds") if one["inputs"] == {"question": "x"})
    client.update_examples(
        dataset_id=example["dataset_id"],
        updates=[{"id": example["id"], "outputs": {"response": {"includes": ["edited"]}}}],
    )
    pushed = push_suite(client, changed(SUITE, "a", response={"includes": ["z"]}))
    assert (pushed.edited, pushed.updated, pushed.unchanged) == (("a",), (), 2)
    assert pull_suite(client, "refunds").by_id["a"].response == {"includes": ["edited"]}
    assert push_suite(client, SUITE, overwrite=True).updated == ("a",)
    assert pull_suite(client, "refunds") == SUITE


def test_a_split_that_was_changed_in_langsmith_counts_as_edited(server: Any, client: Any) -> None:
    push_suite(client, SUITE)
    example = next(one for one in server.examples("refunds") if "team" in one["metadata"])
    client.update_examples(
        dataset_id=example["dataset_id"], updates=[{"id": example["id"], "split": ["easy"]}]
    )
    assert push_suite(client, SUITE).edited == ("z",)
    assert pull_suite(client, "refunds").by_id["z"].metadata["dataset_split"] == ["easy"]


def test_what_no_case_stands_for_any_more_is_told_and_deleted_if_asked(
    server: Any, client: Any
) -> None:
    push_suite(client, SUITE)
    dataset = server.id_of("refunds")
    client.create_examples(
        dataset_id=dataset, examples=[{"inputs": {"q": "mine"}, "reference_outputs": {"a": 1}}]
    )
    fewer = Suite("refunds", SUITE.cases[:2], SUITE.tools, SUITE.writes, checks=SUITE.checks)
    pushed = push_suite(client, fewer)
    assert (pushed.gone, pushed.others) == ((from_suite(SUITE)[2]["id"],), 1)
    assert len(server.examples("refunds")) == 4
    pruned = push_suite(client, fewer, prune=True, tag="fewer")
    assert len(server.examples("refunds")) == 3
    assert pruned.version is not None
    for version in ("fewer", pruned.version):
        assert len(pull_suite(client, "refunds", version=version).cases) == 3
    assert [one.input for one in pull_suite(client, "refunds").cases][-1] == "mine"


def test_splits_and_versions(server: Any, client: Any) -> None:
    first = push_suite(client, SUITE, tag="v1")
    push_suite(client, changed(SUITE, "z", input="Changed."))
    assert [one.id for one in pull_suite(client, "refunds", splits=["hard"]).cases] == ["z"]
    assert pull_suite(client, "refunds").by_id["z"].input == "Changed."
    assert pull_suite(client, "refunds", version="v1") == SUITE
    assert pull_suite(client, first.dataset_id, version=first.version) == SUITE
    with pytest.raises(UsageError, match="no examples of the splits none"):
        pull_suite(client, "refunds", splits=["none"])


def test_a_dataset_of_another_name_has_ids_of_its_own(server: Any, client: Any) -> None:
    push_suite(client, SUITE)
    push_suite(client, SUITE, "copy")
    ids = [{one["id"] for one in server.examples(name)} for name in ("refunds", "copy")]
    assert ids[0].isdisjoint(ids[1])
    assert pull_suite(client, "copy") == SUITE
    assert push_suite(client, SUITE, "copy").unchanged == 3


def test_large_tools_do_not_ride_in_every_example(server: Any, client: Any) -> None:
    tools = {f"tool{at}": {"description": "x" * 200} for at in range(50)}
    suite = Suite("big", [Case(f"c{at}", "hi") for at in range(20)], tools=tools)
    push_suite(client, suite)
    sizes = sorted(len(json.dumps(one)) for one in server.examples("big"))
    assert sizes[0] < 1000 < sizes[-1]
    assert pull_suite(client, "big") == suite


def test_examples_made_in_langsmith_are_a_suite_of_the_datasets_name(
    server: Any, client: Any
) -> None:
    server.add("golden", [{"id": ID, "inputs": {"q": "x"}, "outputs": {"trajectory": ["a"]}}])
    suite = pull_suite(client, "golden")
    assert (suite.name, suite.cases[0].id) == ("golden", ID)


_TEXT = st.text(max_size=8)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(-1e9, 1e9) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)


def stored(example: Any) -> Any:
    """An example as the server gives it back."""
    split = example["split"]
    metadata = {**example["metadata"], "dataset_split": split}
    held = {"inputs": example["inputs"], "outputs": example["reference_outputs"]}
    return json.loads(json.dumps({"id": example["id"], **held, "metadata": metadata}))


@settings(max_examples=60, deadline=None)
@given(
    references=st.lists(st.dictionaries(_TEXT, _VALUES, max_size=3), min_size=1, max_size=3),
    words=_TEXT,
    split=st.none() | st.sampled_from(["test", ["test"], ["b", "a"], "base"]),
)
@example(references=[{"": ["\0"]}], words="", split="test")
@example(references=[{"": ["\0"]}], words="", split="base")
def test_any_json_comes_back_whole(references: list[Any], words: str, split: Any) -> None:
    metadata = {} if split is None else {"dataset_split": split}
    cases = [
        Case(f"c{at}", words, reference=one, metadata=metadata) for at, one in enumerate(references)
    ]
    suite = Suite("any", cases)
    examples = examples_for(suite, "any")
    held = [stored(one) for one in examples.values()]
    assert to_suite(held) == suite
    assert all(same(one, examples[one["id"]]) for one in held)


def test_what_the_servers_json_cannot_hold_rides_as_text(server: Any, client: Any) -> None:
    suite = Suite("odd", [Case("n", "a\0b", reference={"\0": [2**80, -1, 1.5]})])
    push_suite(client, suite)
    assert "a\u2400b" in server.examples("odd")[0]["inputs"]["input"]
    assert pull_suite(client, "odd") == suite
    assert push_suite(client, suite).unchanged == 1
    client.update_examples(
        dataset_id=server.id_of("odd"),
        updates=[{"id": server.examples("odd")[0]["id"], "inputs": {"input": "edited"}}],
    )
    assert pull_suite(client, "odd").cases[0].input == "edited"


def test_half_a_surrogate_pair_names_its_case(server: Any, client: Any) -> None:
    with pytest.raises(UsageError, match="case 'c': half a surrogate pair"):
        push_suite(client, Suite("s", [Case("c", "\ud800")]))
    assert not server.sets


# When the server is busy, slow or gone.


def test_a_push_that_stopped_goes_on_where_it_was(server: Any, client: Any) -> None:
    suite = Suite("many", [Case(f"c{at}", f"text {at}") for at in range(1200)])
    server.fail("POST /v1/platform", status=400, skip=2)
    with pytest.raises(PasshatError, match="writing examples"):
        push_suite(client, suite)
    assert len(server.examples("many")) == 1000
    told: list[tuple[int, int]] = []
    pushed = push_suite(client, suite, progress=lambda done, total: told.append((done, total)))
    assert (pushed.unchanged, len(pushed.created)) == (1000, 200)
    assert told[-1] == (1200, 1200)
    assert pull_suite(client, "many") == suite


def test_an_example_that_moved_to_the_next_page_is_not_taken_for_a_stranger(
    server: Any, client: Any
) -> None:
    suite = Suite("many", [Case(f"c{at}", f"text {at}") for at in range(150)])
    push_suite(client, suite)
    answer = server.answer

    def moving(method: str, path: str, query: Any, *more: Any) -> Any:
        """As where somebody adds an example while pages are read, newest first."""
        status, told = answer(method, path, query, *more)
        if method == "GET" and path == "/examples" and query.get("offset") == ["100"]:
            told = [server.examples("many")[99], *told]
        return status, told

    server.answer = moving
    done = push_suite(client, suite, prune=True)
    assert (done.unchanged, done.gone, done.others) == (150, (), 0)
    assert len(server.examples("many")) == 150


def test_files_and_the_run_an_example_was_made_of(
    server: Any, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files come along whole, and are attached again; where they cannot be read, that is told."""
    dataset = client.create_dataset("filed")
    run = "00000000-0000-4000-8000-0000000000bb"
    made = {"id": ID, "inputs": {"q": "Which?"}, "reference_outputs": {"trajectory": ["look"]}}
    files = {"b.txt": ("text/plain", b"hello"), "a": ("image/png", b"\x89PNG\r\n\xff")}
    client.create_examples(
        dataset_id=dataset.id, examples=[{**made, "attachments": files, "source_run_id": run}]
    )
    suite = pull_suite(client, "filed")
    beside: Json = {"source_run_id": run, "attachments": ["a", "b.txt"]}
    held = {
        "a": {"mime_type": "image/png", "base64": b64encode(files["a"][1]).decode()},
        "b.txt": {"mime_type": "text/plain", "text": "hello"},
    }
    assert suite.cases[0].extensions == {"langsmith": {**beside, "files": held}}
    assert push_suite(client, suite, "again").without_files == ()
    assert pull_suite(client, "again") == suite
    assert push_suite(client, suite, "again").unchanged == 1
    (pushed,) = server.examples("again")
    assert "hello" not in json.dumps(pushed["metadata"])
    other = {**held, "b.txt": {"mime_type": "text/plain", "text": "other"}}
    changed = Suite("filed", [replace(suite.cases[0], extensions={"langsmith": {"files": other}})])
    assert push_suite(client, changed, "again", overwrite=True).updated == (ID,)
    (again,) = pull_suite(client, "again").cases
    assert again.extensions["langsmith"]["files"] == other
    bare = pull_suite(client, "filed", files=False)
    assert bare.cases[0].extensions == {"langsmith": beside}
    assert push_suite(client, bare, "bare").without_files == (ID,)
    assert pull_suite(client, "bare") == bare
    info = {"presigned_url": "", "reader": io.BytesIO(), "mime_type": "text/plain"}
    known = langsmith.schemas.Example(
        id=ID, inputs={}, attachments={"b.txt": info}, source_run_id=run
    )
    beside = {"source_run_id": run, "attachments": ["b.txt"]}
    assert to_suite([known]).cases[0].extensions == {"langsmith": beside}
    monkeypatch.setenv("LANGSMITH_ENDPOINT", server.url)
    monkeypatch.setenv("LANGSMITH_API_KEY", "x")
    read, fidelity = adapter.read_suite("langsmith:dataset/filed")
    assert (read, fidelity.notes) == (suite, ())
    server.fail("GET /files", status=404, times=99)
    read, fidelity = adapter.read_suite("langsmith:dataset/filed")
    assert read == bare
    assert [(one.what, one.kind) for one in fidelity.notes] == [(f"{ID}: attachments", "lost")]


@pytest.mark.parametrize("held", [{}, {"presigned_url": None}, {"presigned_url": 5}, "x", None])
def test_a_file_without_an_address_is_told_and_nothing_is_asked(
    server: Any, client: Any, caplog: pytest.LogCaptureFixture, held: Any
) -> None:
    example = {"id": ID, "attachment_urls": {"attachment.a": held}}
    assert with_files(client, example) == example
    assert f"example {ID}: no address of the attachment 'a'" in caplog.text
    assert server.count("GET") == 0


@pytest.mark.parametrize("name", ["a/b", "a?b=c&d", "%2F", "#x", "ü🙂", "a\nb", " ", "x" * 500])
def test_whatever_a_dataset_is_called(server: Any, client: Any, name: str) -> None:
    other = Suite("other", [Case("o", "Hi?", expected_calls=[])])
    push_suite(client, other, f"{name}x")
    assert push_suite(client, SUITE, name).dataset == name
    assert pull_suite(client, name) == SUITE
    assert pull_suite(client, f"{name}x") == other


@pytest.mark.parametrize("name", ["", "\ud800"])
def test_names_that_no_dataset_can_have(client: Any, name: str) -> None:
    with pytest.raises(UsageError, match="no name"):
        push_suite(client, SUITE, name)
    with pytest.raises(UsageError, match="no name"):
        pull_suite(client, name)


def test_no_such_dataset(client: Any) -> None:
    with pytest.raises(UsageError, match="no dataset 'nope'"):
        pull_suite(client, "nope")


@pytest.mark.slow
def test_thousands_of_cases(server: Any, client: Any) -> None:
    suite = Suite("huge", [Case(f"c{at}", f"text {at}") for at in range(3_000)])
    assert len(push_suite(client, suite).created) == 3_000
    assert push_suite(client, suite).unchanged == 3_000
    assert pull_suite(client, "huge") == suite
