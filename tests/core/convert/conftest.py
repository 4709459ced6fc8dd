"""What the tests of conversions share: suites at random, and conversion there and back."""

import importlib.util
import itertools
from pathlib import Path

import pytest

from passhat.convert import convert_file
from passhat.suitefile import read_suite
from passhat.trace import ToolCall, TraceBuilder

CORE_TESTS = Path(__file__).resolve().parents[1]
FORMATS = ("passhat", "adk", "langsmith", "openevals")


def suites():
    """The strategy for suites of all keys, which the tests of suite files have."""
    path = CORE_TESTS / "suitefile" / "test_writing.py"
    spec = importlib.util.spec_from_file_location("suites_at_random", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.SUITE


def there(source, target, to, **options):
    """The report of a conversion."""
    return convert_file(source, target, to=to, **options)


def there_and_back(source, folder, to):
    """The suite of a file, through another form and back into a suite file."""
    folder.mkdir(exist_ok=True)
    first = convert_file(source, folder / "theirs.json", to=to, force=True)
    second = convert_file(folder / "theirs.json", folder / "ours.json", to="passhat", force=True)
    return first, second, read_suite(folder / "ours.json")


@pytest.fixture(scope="session", name="trace_of")
def _trace_of():
    """The trace of a run: its requests, each a list of calls by name, arguments and error."""

    def trace_of(requests):
        build = TraceBuilder("t")
        build.user("hi")
        number = itertools.count()
        for request in requests:
            build.assistant(
                calls=[
                    ToolCall(name, args, id=f"c{next(number)}", error=error, result=error or "ok")
                    for name, args, error in request
                ]
            )
        build.assistant("Done.")
        return build.trace()

    return trace_of
