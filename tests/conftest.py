"""Fixtures shared by every test."""

import importlib.util
import os
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

settings.register_profile("local", deadline=None)
if not os.environ.get("CI"):  # there hypothesis loads its own profile "ci", which is derandomized
    settings.load_profile("local")

ROOT = Path(__file__).resolve().parent.parent


def loaded(name: str) -> ModuleType:
    """A module of `tests/servers`, which are no packages."""
    spec = importlib.util.spec_from_file_location(
        f"servers_{name}", ROOT / "tests/servers" / f"{name}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# One server of each kind for all tests.
_databases = loaded("databases")
postgres, mariadb = _databases.postgres, _databases.mariadb


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recordings and independently computed numbers, where it is at hand."""
    folder = Path(os.environ.get("PASSHAT_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"checking material not at hand: {folder} (set PASSHAT_SHARED)")
    return folder
