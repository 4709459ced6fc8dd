"""The items of a file, whole and broken."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from passhat.errors import InputError
from passhat.jsontext import first_values, items, lines

OBJECTS = st.lists(
    st.dictionaries(
        st.text(max_size=3), st.text() | st.lists(st.integers(), max_size=2), max_size=3
    ),
    min_size=2,
    max_size=6,
)


@pytest.fixture
def written(tmp_path):
    def write(data):
        path = tmp_path / "f"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write


def values(path):
    return [str(item) if isinstance(item, InputError) else item.value for item in items(path)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n \n", []),
        ('{"a": 1}', [{"a": 1}]),
        ('{"a": 1}\n{"a": 2}', [{"a": 1}, {"a": 2}]),
        ('{"a": 1}\r\n\r\n{"a": 2}\r\n', [{"a": 1}, {"a": 2}]),
        ("[1]\n[2]", [[1], [2]]),
        ("[1, 2]", [1, 2]),
        ('[\n{"a": 1}\n]', [{"a": 1}]),
        ('[{"a": 1},\n {"a": 2}]', [{"a": 1}, {"a": 2}]),
        ("[[1]\n,[2]]", [[1], [2]]),
        ('{"a":\n{"b": 1}\n}', [{"a": {"b": 1}}]),
        ('{\n "a": 1\n}', [{"a": 1}]),
        ("[]", []),
        ("[\n]", []),
        ("5", [5]),
        ("\ufeff[1]", [1]),
    ],
)
def test_lines_elements_or_the_one_value(text, expected, written):
    assert values(written(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}\n{"a":\n{"a": 3}', [{"a": 1}, ":2: not JSON", {"a": 3}]),
        ('{"a": "cut\n{"a": 2}\n{"a": 3}', [":1: not JSON", {"a": 2}, {"a": 3}]),
        ('{"a": 1}\nbroken', [{"a": 1}, ":2: not JSON"]),
        ("[1, 2, [3", [1, 2, ":1: $[2]: the list ends too early"]),
        ("[1,\n2,", [1, 2, ":2: $[2]: the list ends too early"]),
        (
            '[{"a": 1},\n{"a" 2},\n{"a": NaN}]',
            [{"a": 1}, ":2: $[1]: not JSON", {"a": {"$float": "NaN"}}],
        ),
        ('["\\ud800", 1]', [":1: $[0]: half a character", 1]),
        ("[1] [2]", [1, ":1: $[1]: not JSON: more text after the end of the list"]),
        ("[] x", [":1: $[0]: not JSON: more text after"]),
        ("[1,,2]", [1, ":1: $[1]: not JSON", 2]),
        ("[" * 5_000, [":1: $[0]: the list ends too early"]),
    ],
)
def test_what_breaks_is_named_and_the_rest_is_given(text, expected, written):
    found = values(written(text))
    assert len(found) == len(expected)
    for got, wanted in zip(found, expected, strict=True):
        assert wanted in got if isinstance(wanted, str) else got == wanted


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_another_encoding_is_called_by_its_name(mark, written):
    with pytest.raises(InputError, match="UTF-16 by its byte order mark, not UTF-8"):
        list(items(written(mark + "[1]".encode("utf-16-le"))))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=OBJECTS, indent=st.sampled_from([None, 1]), data=st.data())
def test_a_list_cut_anywhere_gives_what_is_complete_before(rows, indent, data, written):
    whole = json.dumps(rows, indent=indent).encode()
    cut = data.draw(st.integers(1, len(whole) - 1))
    *good, last = values(written(whole[:cut]))
    assert isinstance(last, str)
    assert good == rows[: len(good)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=OBJECTS, data=st.data())
def test_the_beginning_of_a_file_tells_its_first_values(rows, data, written):
    for whole in (json.dumps(rows), "\n".join(map(json.dumps, rows))):
        head = whole.encode()[: data.draw(st.integers(1, len(whole.encode())))]
        found = first_values(head)
        for value, row in list(zip(found, rows, strict=False))[:-1]:
            assert value == row
        if found and isinstance(found[-1], dict):
            row = rows[len(found) - 1]
            assert found[-1].items() <= row.items() or len(head) < len(whole)


def test_lines_carry_their_numbers(written):
    assert list(lines(written("a\n\n b \nc"))) == [(1, b"a"), (3, b"b"), (4, b"c")]


def test_a_line_of_a_hundred_megabytes_is_read(written):
    path = written(b'{"a": "' + b"x" * 100_000_000 + b'"}\n{"a": 1}\n')
    sizes = [len(str(item.value)) for item in items(path)]
    assert sizes == [100_000_000 + 9, 8]
