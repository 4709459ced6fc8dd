"""The wheel and the source distribution hold what git tracks: no more, no less."""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tree(tracked: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tracked files."""
    tree = tmp_path_factory.mktemp("tree")
    for name in tracked:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tree / name)
    return tree


def built(tree: Path, hook: str, out: Path) -> Path:
    """The archive that a hook of the build backend makes, without a network."""
    command = f"from hatchling.build import {hook}; print({hook}({str(out)!r}))"
    ran = subprocess.run(
        [sys.executable, "-c", command], cwd=tree, capture_output=True, text=True, check=True
    )
    return out / ran.stdout.split()[-1]


def test_the_wheel_holds_the_two_source_roots(
    tree: Path, tracked: list[Path], tmp_path: Path
) -> None:
    with zipfile.ZipFile(built(tree, "build_wheel", tmp_path)) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}
        licences = [name for name in wheel.namelist() if name.endswith("licenses/LICENSE")]
    sources = {
        "/".join(path.parts[1:])
        for path in tracked
        if path.parts[0] in ("core", "adapters") and len(path.parts) > 2
    }
    assert held == sources
    assert len(licences) == 1


def test_the_source_distribution_holds_everything(
    tree: Path, tracked: list[Path], tmp_path: Path
) -> None:
    with tarfile.open(built(tree, "build_sdist", tmp_path)) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert held - {"PKG-INFO"} == {path.as_posix() for path in tracked}
