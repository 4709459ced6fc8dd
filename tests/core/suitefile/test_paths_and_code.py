"""A suite is data: paths stay in its folder, and nothing it names is imported unless that is allowed."""

import sys
from pathlib import Path

import pytest

from passhat.errors import SuiteError, UsageError
from passhat.suitefile import read_suite, suite_from
from passhat.suitefile.folders import inside


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "suite/states").mkdir(parents=True)
    (tmp_path / "suite/states/a.json").write_text("{}")
    (tmp_path / "secret.json").write_text("{}")
    (tmp_path / "suite/out").symlink_to(tmp_path)
    (tmp_path / "suite/in").symlink_to(tmp_path / "suite/states")
    (tmp_path / "suite/loop").symlink_to(tmp_path / "suite/loop")
    return tmp_path / "suite"


@pytest.mark.parametrize(
    "written", ["states/a.json", "./states/../states/a.json", "in/a.json", "states"]
)
def test_a_path_inside_the_folder_is_resolved(folder, written):
    found = inside(folder, written)
    assert found == (folder / written).resolve()


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("/etc/passwd", "'/etc/passwd' is absolute; write it relative to the suite file"),
        ("C:\\state.json", r"'C:\\state.json' is absolute; write it relative to the suite file"),
        ("\\\\host\\share", r"'\\\\host\\share' is absolute; write it relative to the suite file"),
        ("../secret.json", "'../secret.json' leads out of the suite's folder"),
        ("states/../../secret.json", "'states/../../secret.json' leads out of the suite's folder"),
        ("out/secret.json", "'out/secret.json' leads out of the suite's folder"),
        ("states/b.json", "there is no 'states/b.json' in the suite's folder"),
        ("a\0b", "'a\\x00b' is no path: embedded null byte"),
        ("x" * 5000, f"'{'x' * 5000}' is no path: File name too long"),
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(folder, written, said):
    with pytest.raises(UsageError) as caught:
        inside(folder, written)
    assert caught.value.message == said


def test_a_link_to_itself_is_refused(folder):
    with pytest.raises(UsageError, match="'loop' is no path"):
        inside(folder, "loop")


def test_a_state_that_is_a_file_becomes_its_place(folder):
    (folder / "s.yaml").write_text("cases: [{id: a, initial_state: states/a.json}]")
    assert read_suite(folder / "s.yaml").cases[0].initial_state == str(
        (folder / "states/a.json").resolve()
    )


def test_a_suite_in_memory_has_no_folder():
    with pytest.raises(SuiteError, match="a path is relative to a suite file"):
        suite_from([{"id": "a", "initial_state": "a.json"}])


OWN = """
import passhat.grading
touched = []

@passhat.grading.check("own_polite", needs=("response",))
def polite(trace, case):
    return True

def own_brief(trace, case):
    return 0.5

nothing = 3
"""


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    (tmp_path / "own_checks_of_a_test.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "own_checks_of_a_test"
    sys.modules.pop("own_checks_of_a_test", None)


def test_own_checks_are_imported_only_where_that_is_allowed(own_module, suite_file):
    path = suite_file(
        f"cases: [{{id: a, checks: {{'{own_module}:polite': {{}}, '{own_module}:own_brief': {{at_least: 0.4}}}}}}]"
    )
    with pytest.raises(SuiteError, match="loaded only with --allow-code"):
        read_suite(path)
    assert own_module not in sys.modules
    case = read_suite(path, allow_code=True).cases[0]
    assert case.checks == {"own_polite": {}, "own_brief": {"at_least": 0.4}}


def test_a_dotted_path_may_be_written_with_dots_alone(own_module, suite_file):
    path = suite_file(f"cases: [{{id: a, checks: {{{own_module}.polite: {{}}}}}}]")
    with pytest.raises(SuiteError, match="loaded only with --allow-code"):
        read_suite(path)
    assert own_module not in sys.modules
    assert read_suite(path, allow_code=True).cases[0].checks == {"own_polite": {}}


def test_a_key_that_is_a_letter_off_is_no_dotted_path(faults_of):
    (fault,) = faults_of("cases: [{id: a, checks: {response.includes: {}}}]", allow_code=True)
    assert fault.endswith("did you mean response_includes?")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("{}.missing", "'{0}.missing' is not there: module '{0}' has no attribute 'missing'"),
        ("{}:missing", "'{0}:missing' is not there: module '{0}' has no attribute 'missing'"),
        ("{}:nothing", "'{0}:nothing' is no check: make it one with @passhat.check"),
        (".{}:polite", "'.{0}:polite' is no dotted path: it is written package.module:name"),
        (":", "':' is no dotted path: it is written package.module:name"),
    ],
)  # fmt: skip
def test_what_is_no_check_is_told(own_module, faults_of, path, said):
    path, said = path.format(own_module), said.format(own_module)
    (fault,) = faults_of(f"cases: [{{id: a, checks: {{'{path}': {{}}}}}}]", allow_code=True)
    assert fault.endswith(said)


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """A function that writes a module beside a suite that names `x` in it, and gives the suite."""
    monkeypatch.chdir("/")
    before = set(sys.modules)

    def written(module: str, code: str, folder: str = "suite") -> Path:
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"{module}.py").write_text(code)
        path = tmp_path / folder / "suite.yaml"
        path.write_text(
            f"cases: [{{id: a, checks: {{'{module}:x': {{}}}}}}, {{id: b, checks: {{'{module}:x': {{}}}}}}]"
        )
        return path

    yield written
    for name in set(sys.modules) - before:
        if name.startswith("beside_"):
            del sys.modules[name]


def test_a_module_beside_the_suite_is_found(beside):
    looked = list(sys.path)
    suite = read_suite(beside("beside_good", "def x(trace, case): return True"), allow_code=True)
    assert [case.checks for case in suite.cases] == [{"x": {}}, {"x": {}}]
    assert sys.path == looked


def test_a_module_in_the_working_folder_is_found(beside, tmp_path, monkeypatch):
    path = beside("beside_cwd", "def x(trace, case): return True")
    (tmp_path / "other").mkdir()
    path = path.rename(tmp_path / "other/suite.yaml")
    monkeypatch.chdir(tmp_path / "suite")
    assert read_suite(path, allow_code=True).cases[0].checks == {"x": {}}


def test_a_module_that_is_nowhere_is_told_with_where_it_was_looked_for(beside):
    path = beside("beside_other", "")
    path.write_text("cases: [{id: a, checks: {'beside_none:x': {}}}]")
    with pytest.raises(SuiteError) as caught:
        read_suite(path, allow_code=True)
    assert str(caught.value).endswith(
        f"there is no module 'beside_none' in the suite's folder ({path.parent}), the working "
        "folder (/) or among what is installed"
    )


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("\n1 / 0", "beside_bad.py:2: ZeroDivisionError: division by zero"),
        ("def (:", "beside_bad.py:1: SyntaxError: invalid syntax (beside_bad.py, line 1)"),
        ("import no_such_thing", "beside_bad.py:1: ModuleNotFoundError: No module named 'no_such_thing'"),
        ("import sys\nsys.exit(3)", "beside_bad.py:2: SystemExit: 3"),
        ("import json\n\njson.loads('')", "beside_bad.py:3: JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
    ],
)  # fmt: skip
def test_what_a_module_raises_is_one_fault(beside, code, said):
    path = beside("beside_bad", code)
    with pytest.raises(SuiteError) as caught:
        read_suite(path, allow_code=True)
    (fault,) = caught.value.faults
    assert fault.message == f"importing 'beside_bad' failed at {said}"


def test_two_modules_of_one_name_are_not_mixed_up(beside):
    first = beside("beside_twin", "def x(trace, case): return True")
    second = beside("beside_twin", "def x(trace, case): return False", "second")
    read_suite(first, allow_code=True)
    with pytest.raises(SuiteError, match="another module of that name is loaded already"):
        read_suite(second, allow_code=True)
