"""YAML as JSON types only, with the line of every part."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.errors import SuiteError
from passhat.suitefile.document import Document, path_text
from passhat.suitefile.files import fill


def read(text, form="yaml"):
    document = Document("s.yaml")
    fill(document, text if isinstance(text, bytes) else text.encode(), form)
    return document


def faults(text, form="yaml"):
    with pytest.raises(SuiteError) as caught:
        read(text, form).raise_faults()
    return str(caught.value)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("2024-05-20", "2024-05-20"),
        ("2024-05-20T10:00:00Z", "2024-05-20T10:00:00Z"),
        ("12:30", "12:30"),
        ("0o17", "0o17"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("007", "007"),
        ("+1", "+1"),
        ("1.", "1."),
        ("=", "="),
        ("5", 5),
        ("-5", -5),
        ("5.0", 5.0),
        (".5", 0.5),
        ("-1.5e-3", -0.0015),
        ("1e3", 1000.0),
        (str(2**80), 2**80),
        ("true", True),
        ("True", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ('"5"', "5"),
        ("'true'", "true"),
        ("''", ""),
        ("text # remark", "text"),
        ("|\n  two\n  lines", "two\nlines\n"),
    ],
)
def test_scalars_are_of_json_types(written, value):
    read_back = read(f"key: {written}\n").value["key"]
    assert read_back == value
    assert type(read_back) is type(value)


def test_every_part_has_its_line():
    text = "a: 1\nb:\n  - c: |\n      x\n    d: [1,\n        2]\n  - e\n"
    lines = {path_text(steps): line for steps, line in read(text).lines.items()}
    assert lines == {
        "$": 1,
        "$.a": 1,
        "$.b": 2,
        "$.b[0]": 3,
        "$.b[0].c": 3,
        "$.b[0].d": 5,
        "$.b[0].d[0]": 5,
        "$.b[0].d[1]": 6,
        "$.b[1]": 7,
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: 2\na: 3", "s.yaml:3: $.a: the key stands twice (first on line 1); keep one"),
        ("a: &x 1", "s.yaml:1: $.a: an anchor (&x) is not read; leave it out"),
        (
            "a: &x 1\nb: *x",
            "s.yaml:1: $.a: an anchor (&x) is not read; leave it out\n"
            "s.yaml:2: $.b: an alias (*x) is not read; write the value out",
        ),
        ("a: !!str 5", "s.yaml:1: $.a: a tag (!!str) is not read; leave it out"),
        ("a: !thing {b: 1}", "s.yaml:1: $.a: a tag (!thing) is not read; leave it out"),
        (
            "a:\n  <<: {b: 1}",
            "s.yaml:2: $.a['<<']: a merge key (<<) is not read; write the keys out",
        ),
        (
            "? [a]\n: 1",
            "s.yaml:1: a key is text, not a list, a mapping or an alias; a text that begins with { or [ is written in quotes",
        ),
        ("a: 1\n---\nb: 2", "s.yaml:2: $: a second document; a suite file holds one"),
        ("a: .nan", "s.yaml:1: $.a: JSON has no such number"),
        ("a: -.inf", "s.yaml:1: $.a: JSON has no such number"),
        ("a: 1e999", "s.yaml:1: $.a: 1e999 is beyond the numbers there are"),
        (f"a: {'9' * 5000}", "s.yaml:1: $.a: a number of 5000 digits"),
        (
            "a:\n  - [1, 2\nb: 3",
            "s.yaml:3: not YAML: did not find expected ',' or ']' (in what begins on line 2)",
        ),
        (
            "a: [1]\n\tb: 2",
            "s.yaml:2: not YAML: found character that cannot start any token; indent with spaces, not with tabs",
        ),
        (
            "a: b: c",
            's.yaml:1: not YAML: mapping values are not allowed in this context; a text with ": " in it is written in quotes; or the line is indented too far',
        ),
        ("[" * 100_000, "s.yaml: nested deeper than 100 levels"),
        ("- " * 10_000, "s.yaml:1: nested deeper than 100 levels"),
        (b"a: 1\nb: caf\xe9", "s.yaml:2: not UTF-8: byte 0xe9 at byte 11"),
        ("a: 1".encode("utf-16"), "s.yaml: is UTF-16; save it as UTF-8"),
        ("", "s.yaml: the file is empty"),
        (" \n", "s.yaml: the file is empty"),
    ],
)
def test_what_is_not_read_is_told(text, said):
    assert faults(text) == said


def test_a_byte_order_mark_is_passed_over():
    assert read(b"\xef\xbb\xbfa: 1").value == {"a": 1}


@given(st.text())
def test_any_text_gives_a_value_or_a_suite_error(text):
    with suppress(SuiteError):
        read(text.encode())
