"""A suite goes into any form and comes back as it was."""

import importlib.util
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings

from passhat.suitefile import write_suite

_spec = importlib.util.spec_from_file_location(
    "conversions", Path(__file__).with_name("conftest.py")
)
assert _spec is not None
assert _spec.loader is not None
conversions = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(conversions)

FORMATS = conversions.FORMATS
SUITES = conversions.suites()


@pytest.mark.parametrize("to", FORMATS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(SUITES)
def test_a_suite_comes_back_from_any_form(to, suite):
    with TemporaryDirectory() as folder:
        source = write_suite(suite, Path(folder) / "source.json")
        first, second, back = conversions.there_and_back(source, Path(folder) / "there", to)
    assert back == suite
    for report in (first, second):
        for note in report.notes:
            if note.kind in ("lost", "approximated"):
                assert (to, note.field in ("input", "turns")) == ("adk", True), note
                assert "only speaks" in note.note
