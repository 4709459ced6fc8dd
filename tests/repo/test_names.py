"""Public names: what a package says it offers is there, and what it imports to offer it says."""

import ast
import importlib
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[2] / "core"
PACKAGES = sorted(
    ".".join(path.parent.relative_to(CORE).parts) for path in CORE.rglob("__init__.py")
)


@pytest.mark.parametrize("name", PACKAGES)
def test_all_names_what_is_there_and_once(name: str) -> None:
    package = importlib.import_module(name)
    offered = list(getattr(package, "__all__", []))
    assert sorted(set(offered)) == sorted(offered)
    assert [n for n in offered if getattr(package, n, None) is None] == []


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_offers_what_it_imports(name: str) -> None:
    source = Path(importlib.import_module(name).__file__ or "").read_text(encoding="utf-8")
    imported = {
        alias.asname or alias.name
        for node in ast.parse(source).body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{name}.")
        for alias in node.names
    }
    offered = set(getattr(importlib.import_module(name), "__all__", ()))
    assert {n for n in imported if not n.startswith("_")} - offered == set()


@pytest.mark.parametrize("name", PACKAGES)
def test_no_module_bears_the_name_of_what_its_package_offers(name: str) -> None:
    package = importlib.import_module(name)
    folder = Path(package.__file__ or "").parent
    modules = {path.stem for path in folder.iterdir() if path.suffix in ("", ".py")}
    assert (
        modules & {n for n in getattr(package, "__all__", ()) if callable(getattr(package, n))}
        == set()
    )
