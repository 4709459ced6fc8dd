"""The names of the package: all there, found by type checkers too, and loaded when used."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import passhat


@pytest.mark.parametrize("name", passhat.__all__)
def test_every_name_is_there(name):
    assert getattr(passhat, name) is not None
    assert name in dir(passhat)


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(passhat.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name
        for node in ast.walk(block)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen | {"__version__"} == set(passhat.__all__)


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(passhat, "nothing")  # noqa: B009


def test_importing_it_loads_nothing_else():
    code = "import sys, passhat; print(sum(name.startswith('passhat.') for name in sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "0\n"
