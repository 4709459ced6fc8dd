"""The house as its pages describe it, and nothing of the machine it was built on."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "core/passhat"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
ROOMS = sorted(
    path.stem
    for path in CORE.iterdir()
    if path.stem.isidentifier() and not path.name.startswith("_") and path.suffix in ("", ".py")
)
ELSEWHERE = {"demo": "cli"}
"""The tests of a room that stand in the folder of another."""

MACHINE = re.compile(
    r"(?<![\w./-])/(?:work|root|home|Users|mnt|tmp)/[\w.-]"
    r"|pypi\.org/simple|pythonhosted\.org|npmjs\.org|--(?:extra-)?index-url"
)


def canonical(requirement: str) -> str:
    """The name of the distribution that a requirement asks for, as an index spells it."""
    name = re.split(r"[\[<>=~! ]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_its_tests(room: str) -> None:
    tests = ROOT / "tests"
    folders = [tests / ELSEWHERE.get(room, room), tests / "core" / room]
    found = [file for folder in folders for file in folder.glob("test_*.py")]
    assert found or list((tests / "core").glob(f"test_{room}*.py"))


def test_the_plan_has_every_room_on_its_floor() -> None:
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    (floors,) = (c["layers"] for c in contracts if c["type"] == "layers")
    plan = (ROOT / "docs/design/plan.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \|", plan, flags=re.M)
    planned = {int(floor): set(re.findall(r"`(\w+)`", rooms)) for floor, rooms in rows}
    built = [{room for room in floor.split(" | ") if room[0] != "("} for floor in floors]
    held = {len(floors) - i: rooms for i, rooms in enumerate(built) if rooms}
    assert planned == held
    assert set().union(*held.values()) == set(ROOMS)


def test_the_version_stands_in_one_place() -> None:
    import passhat

    number = PROJECT["project"]["version"]
    assert passhat.__version__ == version("passhat") == number
    assert [str(p) for p in CORE.rglob("*.py") if f'"{number}"' in p.read_text()] == []


def test_the_pins_are_names_and_versions_alone(tracked: list[Path]) -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.]+", pin)] == []
    assert not {"uv.lock", "poetry.lock", "pdm.lock"} & {path.name for path in tracked}


def test_everything_that_is_asked_for_has_its_pin() -> None:
    extras = dict(PROJECT["project"]["optional-dependencies"])
    (whole,) = extras.pop("all")
    assert whole == f"passhat[{','.join(sorted(extras))}]"
    asked = [PROJECT["project"]["dependencies"], PROJECT["build-system"]["requires"]]
    asked += [*extras.values(), *PROJECT["dependency-groups"].values()]
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {canonical(line.partition("==")[0]) for line in lines}
    named = {canonical(item) for items in asked for item in items if isinstance(item, str)}
    assert named - pinned == set()


def test_no_file_names_the_machine_or_a_registry(tracked: list[Path]) -> None:
    found = []
    for path in tracked:
        if path.name == Path(__file__).name:
            continue
        text = (ROOT / path).read_bytes().decode("utf-8", "replace")
        found += [f"{path}: {hit[0]}" for hit in MACHINE.finditer(text)]
    assert found == []


def test_ci_runs_the_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in readme
    assert "make test" in readme
    assert "make test" in (ROOT / ".ci/run").read_text()
