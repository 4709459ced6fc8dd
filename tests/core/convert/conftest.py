"""What the tests of conversions share: suites at random, and conversion there and back."""

import importlib.util
from pathlib import Path

from passhat.convert import convert_file
from passhat.suitefile import read_suite

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
