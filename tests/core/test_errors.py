"""Errors that name their place, and survive a pickle."""

import pickle

import pytest

from passhat import errors
from passhat.errors import MissingExtraError, PasshatError, Place, SuiteError, SuiteFault


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (Place(), ""),
        (Place("a.json"), "a.json"),
        (Place("a.json", 3), "a.json:3"),
        (Place("a.json", 3, "$.x"), "a.json:3: $.x"),
        (Place(line=3), "line 3"),
        (Place(path="$.x"), "$.x"),
    ],
)
def test_places(place, text):
    assert str(place) == text
    assert str(PasshatError("broken", place)) == (f"{text}: broken" if text else "broken")


@pytest.mark.parametrize(
    "error",
    [
        *(
            kind("broken", Place("a.json", 3, "$.x"))
            for kind in (
                errors.PasshatError,
                errors.InputError,
                errors.TraceError,
                errors.UsageError,
                errors.EstimationError,
            )
        ),
        SuiteError([SuiteFault("one", Place("a.yaml", 2)), SuiteFault("two", Place("a.yaml", 9))]),
        MissingExtraError("langsmith", "langsmith"),
    ],
)
def test_errors_survive_a_pickle(error):
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert back.place == error.place


def test_a_suite_error_tells_every_fault():
    error = SuiteError(
        [SuiteFault("one", Place("a.yaml", 2)), SuiteFault("two", Place("a.yaml", 9))]
    )
    assert str(error) == "a.yaml:2: one\na.yaml:9: two"
    assert error.place == Place("a.yaml", 2)


def test_a_missing_extra_names_the_pip_line():
    assert "pip install 'passhat[adk]'" in str(MissingExtraError("google-adk", "adk"))
