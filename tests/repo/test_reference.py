"""Every public name and every check has its place in the reference."""

import re
from pathlib import Path

import pytest

import passhat
from passhat.grading.catalogue import CATALOGUE

REFERENCE = Path(__file__).resolve().parents[2] / "docs/reference"


@pytest.fixture(scope="module")
def reference() -> str:
    pages = sorted(REFERENCE.rglob("*.md"))
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


def test_every_public_name_has_its_entry(reference: str) -> None:
    entries = set(re.findall(r"^::: passhat(?:\.\w+)*\.(\w+)$", reference, flags=re.M))
    assert {name for name in passhat.__all__ if not name.startswith("__")} - entries == set()


def test_every_check_has_its_row(reference: str) -> None:
    named = set(re.findall(r"`(\w+)`", reference))
    assert set(CATALOGUE) - named == set()
