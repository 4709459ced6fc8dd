"""The catalogue: every key has its class, and options are checked."""

from dataclasses import fields, is_dataclass

import pytest

from passhat.case import Case, Turn
from passhat.errors import UsageError
from passhat.grading import BROUGHT_BY, CATALOGUE, Check, build_check, check
from passhat.grading.catalogue import GRADE_OPTIONS, INFORMING, brought, check_class
from passhat.grading.needs import NEEDS, lacking
from passhat.trace import Trace


@pytest.mark.parametrize("key", CATALOGUE)
def test_every_key_has_a_small_frozen_class_of_its_own(key):
    cls = check_class(key)
    assert is_dataclass(cls)
    assert cls.__dataclass_params__.frozen
    assert cls.key == key
    assert set(cls.needs) <= NEEDS
    assert not {item.name for item in fields(cls)} & GRADE_OPTIONS
    made = build_check(key, {"score": "x"} if key == "recorded_score" else None)
    assert isinstance(made, Check)
    assert not hasattr(made, "__dict__")
    assert cls.__doc__.splitlines()[0].endswith(".")


def test_what_is_brought_and_what_informs_is_in_the_catalogue_or_comes_later():
    later = {"final_state", "success_check", "policies"}
    assert {key for keys in BROUGHT_BY.values() for key in keys} - later <= CATALOGUE.keys()
    assert set(INFORMING) <= CATALOGUE.keys()


@pytest.mark.parametrize(
    ("key", "options", "match"),
    [
        ("trajektory", {}, "no check 'trajektory', did you mean trajectory"),
        ("trajectory", {"mod": "exact"}, "no option 'mod', did you mean mode"),
        ("trajectory", {"at_leats": 1}, "no option 'at_leats', did you mean at_least"),
        ("trajectory", {"mode": "any"}, "check 'trajectory': mode cannot be 'any'"),
        ("loops", {"times": "3"}, "check 'loops': times needs a whole number, not text"),
        ("recorded_score", {}, "check 'recorded_score': needs a score"),
        ("no_calls", {"nested": "include"}, "no option 'nested'"),
    ],
)
def test_options_are_checked(key, options, match):
    with pytest.raises(UsageError, match=match):
        build_check(key, options)


def test_what_a_file_writes_becomes_what_the_class_wants():
    made = build_check("approval", {"confirm_tools": ["ask"], "required": False})
    assert made.confirm_tools == ("ask",)
    assert hash(made) == hash(build_check("approval", {"confirm_tools": ["ask"]}))


def test_a_response_brings_a_check_for_each_of_its_keys():
    assert brought(Turn(response={"json": True, "equals": None})) == (
        "response_json",
        "response_equals",
    )
    assert brought(Case("c", response_must_include=["x"])) == ("response_includes",)
    with pytest.raises(UsageError, match="response has no key 'include', did you mean includes"):
        brought(Case("c", response={"include": ["x"]}))
    with pytest.raises(UsageError, match=r"response is {includes, .*}, not 'Done.'"):
        brought(Case("c", response="Done."))


def test_an_empty_list_of_expected_calls_expects_something_and_refuse_false_too():
    assert brought(Case("c", expected_calls=[], refuse=False)) == ("trajectory", "refusal")


def test_own_checks_have_keys_and_needs_of_their_own():
    with pytest.raises(UsageError, match="choose another key"):
        check("loops")
    with pytest.raises(UsageError, match="cannot need 'respones', did you mean response"):
        check("mine", needs=("respones",))


@pytest.mark.parametrize("need", sorted(NEEDS))
def test_every_need_can_be_lacking(need):
    gap = Trace("t", gaps=(f"{need}: it was not kept",))
    assert lacking((need,), gap, Case("c")) == f"{need}: it was not kept"
    assert lacking((), Trace("t"), Case("c")) is None
