"""The account of a conversion in lines that a person reads."""

from passhat.convert import FidelityReport, FieldNote
from passhat.report.conversion import conversion_markdown, conversion_text


def account(*notes, what="traces"):
    return FidelityReport("runs.json", "langsmith", "out.jsonl", "openai", what, 3, notes)


def lines(*notes):
    return [line.strip() for line in conversion_text(account(*notes)).splitlines()[1:]]


def test_the_same_of_several_runs_is_one_line_with_the_shares_together():
    told = lines(
        *(FieldNote(f"r{n}", "calls' node", "lost", share=(n, 1000)) for n in range(1, 6)),
        FieldNote("r1", "messages' text", "lost", "the system's words", share=(1, 4)),
    )
    assert told == [
        "lost          calls' node of r1, r2, r3 and 2 more: 15 of 5,000",
        "lost          messages' text of r1: the system's words: 1 of 4",
    ]


def test_many_fields_with_one_fate_are_one_line_that_says_where_each_is_told():
    notes = [
        FieldNote(None, f"key{n}", "lost", "it was not read", parts=(f"$[{n}].key{n}",))
        for n in range(8)
    ]
    told = lines(*notes)
    assert told == [
        "lost          key0, key1, key2, key3, key4, key5 and 2 more: it was not read",
        "--report FILE tells of every field by itself, with its places",
    ]
    document = conversion_markdown(account(*notes))
    assert all(f"$[{n}].key{n}" in document for n in range(8))


def test_a_few_fields_stay_by_themselves_with_their_places():
    told = lines(
        FieldNote("a", "mode", "approximated", "it is a subset", "actual [f], expected []"),
        FieldNote("b", "before", "approximated", "it is a subset"),
        FieldNote("b", "tags", "carried", "in a rubric", parts=("x", "y")),
    )
    assert told == [
        "approximated  mode of a: it is a subset",
        "smallest run: actual [f], expected []",
        "approximated  before of b: it is a subset",
        "carried       tags (x, y) of b: in a rubric",
    ]


def test_fields_whose_smallest_runs_differ_are_never_put_together():
    notes = [
        FieldNote("a", f"key{n}", "approximated", "it is a subset", f"actual [f{n}], expected []")
        for n in range(6)
    ]
    assert sum(line.startswith("smallest run") for line in lines(*notes)) == 6
