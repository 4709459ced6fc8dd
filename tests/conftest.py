"""Fixtures shared by every test."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("local", deadline=None)
if not os.environ.get("CI"):  # there hypothesis loads its own profile "ci", which is derandomized
    settings.load_profile("local")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recordings and independently computed numbers, where it is at hand."""
    folder = Path(os.environ.get("PASSHAT_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"checking material not at hand: {folder} (set PASSHAT_SHARED)")
    return folder
