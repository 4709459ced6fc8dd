"""Whether a dotted path leads to a function, told without importing anything."""

from __future__ import annotations

import ast
import sys
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from passhat.grading.catalogue import known_checks
from passhat_adk.criteria import PREFIX

_OWN = "passhat_adk.metrics"
_ARGUMENTS = 4


def why_not(dotted: str, folder: Path | None = None) -> str | None:
    """Why ADK could not import a metric by this path; None where it could.

    The source is looked at and never run, so a module that makes its names while it runs cannot be
    seen through: then nothing is said.

    Args:
        dotted: `module.function`.
        folder: A folder to look in besides the interpreter's path.

    >>> why_not("passhat_adk.metrics.passhat_case")
    >>> why_not("no_such_module.metric")
    "there is no module 'no_such_module'"
    """
    module, _, name = dotted.rpartition(".")
    if not module or not all(part.isidentifier() for part in dotted.split(".")):
        return "it is no dotted path module.function"
    if module == _OWN:
        keys = ("case", *known_checks())
        return None if name.removeprefix(PREFIX) in keys else f"passhat has no metric {name!r}"
    if module.split(".")[0] == "agent":
        return (
            "`agent` is what `adk eval` calls the agent's folder, and nobody else: pytest knows it "
            "by its own name; put the metric into an installed package"
        )
    spec = _found(module, folder)
    if isinstance(spec, str):
        return spec
    if not spec.origin or not spec.origin.endswith(".py"):
        return None
    return _in_source(Path(spec.origin), name)


def _found(module: str, folder: Path | None) -> ModuleSpec | str:
    """The module's spec, or why there is none."""
    search: list[str] | None = [*sys.path, *([str(folder)] if folder is not None else [])]
    walked: list[str] = []
    spec: ModuleSpec | None = None
    for part in module.split("."):
        walked.append(part)
        name = ".".join(walked)
        spec = PathFinder.find_spec(name, search)
        if spec is None:
            return f"there is no module {name!r}"
        places = spec.submodule_search_locations
        search = list(places) if places is not None else []
    assert spec is not None
    return spec


def _in_source(path: Path, name: str) -> str | None:
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError) as error:
        return f"{path.name} cannot be read: {error}"
    if any(isinstance(node, ast.FunctionDef) and node.name == "__getattr__" for node in tree.body):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return _arity(node)
        if isinstance(node, ast.ClassDef) and node.name == name:
            return None
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            return None
        if isinstance(node, ast.ImportFrom | ast.Import) and any(
            alias.name == "*" or (alias.asname or alias.name) == name for alias in node.names
        ):
            return None
    return f"{path.name} has no {name!r}"


def _arity(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """Whether the function can be called with the four arguments that ADK gives."""
    args = node.args
    positional = len(args.posonlyargs) + len(args.args)
    if args.vararg is None and positional < _ARGUMENTS:
        return f"it takes {positional} arguments, and ADK calls it with {_ARGUMENTS}"
    if positional - len(args.defaults) > _ARGUMENTS:
        return f"it needs {positional - len(args.defaults)} arguments, and ADK gives {_ARGUMENTS}"
    return None
