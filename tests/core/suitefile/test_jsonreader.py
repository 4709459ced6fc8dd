"""JSON and JSONL, with the line of every part."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.errors import SuiteError
from passhat.suitefile.document import Document, path_text
from passhat.suitefile.files import fill

LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
) | st.text()
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


def read(text, form="json"):
    document = Document("s.json")
    fill(document, text.encode(), form)
    return document


@given(VALUES, st.sampled_from([None, 2]), st.booleans())
def test_reads_what_json_writes(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert read(text).value == value


def without_twins(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


@given(st.text(alphabet='[]{},:"\\ \n01-.eEtrufalsn/u', max_size=30))
def test_agrees_with_json_on_what_is_json(text):
    try:
        wanted = json.dumps(
            json.loads(text, parse_constant=float, object_pairs_hook=without_twins),
            allow_nan=False,
        )
    except ValueError:
        wanted = None
    try:
        document = read(text)
        document.raise_faults()
        found = json.dumps(document.value)
    except SuiteError:
        found = None
    assert found == wanted


def test_every_part_has_its_line():
    document = read('{"a": 1,\n "b": [\n  {"c": "x"},\n  2\n ]\n}')
    assert {path_text(steps): line for steps, line in document.lines.items()} == {
        "$": 1,
        "$.a": 1,
        "$.b": 2,
        "$.b[0]": 3,
        "$.b[0].c": 3,
        "$.b[1]": 4,
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1,\n "a": 2}', "s.json:2: $.a: the key stands twice (first on line 1); keep one"),
        ('{"a": NaN}', "s.json:1: not JSON: JSON has no NaN"),
        ('{"a": Infinity}', "s.json:1: not JSON: JSON has no Infinity"),
        ('{"a": 1,}', "s.json:1: not JSON: a comma before '}'"),
        ("[1,\n]", "s.json:2: not JSON: a comma before ']'"),
        ("[1 2]", "s.json:1: not JSON: ',' is missing before 2"),
        ('{"a" 1}', "s.json:1: not JSON: ':' is missing before 1"),
        ("{a: 1}", "s.json:1: not JSON: a key in double quotes is missing before a"),
        ('{"a": }', "s.json:1: not JSON: a value is missing before }"),
        ('{"a":', "s.json:1: not JSON: a value is missing before the end"),
        ("[1] 2", "s.json:1: not JSON: unexpected 2 after the value"),
        ("[01]", "s.json:1: not JSON: unexpected 01"),
        ("[1}", "s.json:1: not JSON: ',' is missing before }"),
        ("[1, // x\n2]", "s.json:1: not JSON: JSON has no comments"),
        ('["a\nb"]', "s.json:1: not JSON: a text that does not end on its line, or holds a control character"),
        ('["\\q"]', 's.json:1: not JSON: invalid \\escape in "\\q"'),
        ('["\\ud800"]', "s.json:1: $[0]: half a surrogate pair is no text"),
        ('{"a": {"b": "\\ud800"}}', "s.json:1: $.a.b: half a surrogate pair is no text"),
        ('{"\\ud800": 1}', "s.json:1: $['\\ud800']: half a surrogate pair is no text"),
        ("[1e999]", "s.json:1: $[0]: 1e999 is beyond the numbers there are"),
        ('{"a":' * 100_000, "s.json:1: nested deeper than 100 levels"),
    ],
)  # fmt: skip
def test_what_is_not_read_is_told(text, said):
    with pytest.raises(SuiteError) as caught:
        read(text).raise_faults()
    assert str(caught.value) == said


def test_jsonl_is_a_case_a_line_after_a_header():
    document = read(
        '{"schema": "passhat.suite/1", "name": "s"}\n\n{"id": "a"}\n{"id": "b"}', "jsonl"
    )
    assert document.value == {
        "schema": "passhat.suite/1",
        "name": "s",
        "cases": [{"id": "a"}, {"id": "b"}],
    }
    assert str(document.place(("cases", 1, "id"))) == "s.json:4: $.cases[1].id"


def test_jsonl_needs_no_header():
    document = read('{"id": "a", "tools": ["x"]}\n{"id": "b"}\n', "jsonl")
    assert [row["id"] for row in document.value["cases"]] == ["a", "b"]


def test_every_broken_line_of_jsonl_is_told():
    with pytest.raises(SuiteError) as caught:
        read('{"id": "a"}\n{"id": \n{"id": "c", "id": "d"}\n[', "jsonl").raise_faults()
    assert str(caught.value).splitlines() == [
        "s.json:2: $.cases[1]: not JSON: a value is missing before the end",
        "s.json:3: $.cases[2].id: the key stands twice (first on line 3); keep one",
        "s.json:4: $.cases[3]: not JSON: a value is missing before the end",
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"cases": []}', {"cases": []}),
        ('[\n{"id": "a"}\n]', [{"id": "a"}]),
        ('{"id": "a"}\n{"id": "b"}', {"cases": [{"id": "a"}, {"id": "b"}]}),
        ("cases: [{id: a}]", {"cases": [{"id": "a"}]}),
    ],
)
def test_a_file_without_a_telling_name_is_told_by_its_first_lines(text, value):
    assert read(text, None).value == value
