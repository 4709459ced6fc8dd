"""What an import brings along: no framework anywhere in the core, nothing heavy with `passhat`."""

import ast
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"numpy", "scipy", "yaml", "jsonschema", "typer", "rich", "jinja2"}


def frameworks() -> set[str]:
    """The modules that the floors forbid to the core, but for our own adapters."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = config["tool"]["importlinter"]["contracts"]
    (neutral,) = (c for c in contracts if c["type"] == "forbidden")
    return {name for name in neutral["forbidden_modules"] if not name.startswith("passhat")}


def brought_by(statement: str) -> set[str]:
    """The top-level modules that a statement loads into a fresh interpreter."""
    ask = f"import sys, json; before = set(sys.modules); {statement}; "
    ask += "print(json.dumps(sorted(set(sys.modules) - before)))"
    ran = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in json.loads(ran.stdout)}


def test_importing_passhat_loads_no_framework_and_nothing_heavy() -> None:
    loaded = brought_by("import passhat")
    assert "passhat" in loaded
    assert loaded & (HEAVY | frameworks()) == set()


def test_finding_the_adapters_loads_no_framework() -> None:
    loaded = brought_by("from passhat.adapter import adapters; adapters()")
    assert loaded & frameworks() == set()


@pytest.mark.parametrize(
    "path", sorted((ROOT / "core").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_no_line_of_the_core_imports_a_framework(path: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported.add(node.module.partition(".")[0])
    assert imported & frameworks() == set()
