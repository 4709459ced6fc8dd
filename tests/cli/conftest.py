"""Runs the command line in this process, as a shell would."""

import io
import json
import sys
from typing import NamedTuple

import pytest

from passhat.cli import main


class Ran(NamedTuple):
    """What a command gave."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def passhat(monkeypatch, capsys):
    """A function that runs `passhat` with some arguments."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def run(*args, stdin=""):
        monkeypatch.setattr(sys, "argv", ["passhat", *map(str, args)])
        monkeypatch.setattr(
            sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
        )
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        return Ran(left.value.code or 0, out, err)

    return run


@pytest.fixture
def recorded(tmp_path):
    """A function that writes lines to a file of recorded runs."""

    def write(*lines, name="runs.jsonl"):
        path = tmp_path / name
        path.write_text("".join(f"{line}\n" for line in lines))
        return path

    return write


@pytest.fixture
def suite(tmp_path):
    """A function that writes a suite of cases."""

    def write(*cases, **stated):
        path = tmp_path / "suite.json"
        path.write_text(json.dumps({"cases": list(cases), **stated}))
        return path

    return write
