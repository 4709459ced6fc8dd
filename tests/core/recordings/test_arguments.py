"""The arguments of a call, in every way they come."""

import pytest

from passhat.recordings.arguments import arguments, arguments_text


@pytest.mark.parametrize(
    ("raw", "args", "error"),
    [
        ('{"a": 1}', {"a": 1}, None),
        ({"a": 1}, {"a": 1}, None),
        (None, {}, None),
        ("", {}, None),
        ("  \n", {}, None),
        ("null", {}, None),
        ("[]", {}, "[]"),
        ("3", {}, "3"),
        ('"x"', {}, '"x"'),
        ('"{\\"a\\": 1}"', {}, '"{\\"a\\": 1}"'),
        ('{"a": 1', {}, '{"a": 1'),
        ('{"a": 1} and more', {}, '{"a": 1} and more'),
        ("{'a': 1}", {}, "{'a': 1}"),
        ('{"a": "\\ud83d"}', {}, '{"a": "\\ud83d"}'),
        ('{"a": NaN}', {"a": {"$float": "NaN"}}, None),
        ('{"a": 1, "a": 2}', {"a": 2}, None),
        ([1], {}, "[1]"),
        (False, {}, "false"),
    ],
)
def test_arguments(raw, args, error):
    assert arguments(raw) == (args, error)
    assert arguments(arguments_text(args, error)) == (args, error)


def test_deep_arguments_are_kept_as_text():
    raw = '{"a":' * 10_000 + "1" + "}" * 10_000
    assert arguments(raw) == ({}, raw)
