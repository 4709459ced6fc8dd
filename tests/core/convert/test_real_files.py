"""Real eval sets go into any form and come back; older shapes come back in the current one."""

import json
import re

import pytest

from passhat.convert import convert_file

LEGACY = "an older shape of ADK's"


def said(value):
    """A document without what says nothing."""
    if isinstance(value, dict):
        held = {key: said(item) for key, item in value.items()}
        return {key: item for key, item in held.items() if item not in (None, 0.0, "", [], {})}
    return [said(item) for item in value] if isinstance(value, list) else value


NO_ARGUMENTS = re.compile(r"actual \[(\w+)\], expected \[\1\(\)\]: theirs 0.0, ours True")


def runs(report):
    """The runs that show what is approximated; nothing may be lost."""
    apart = [note for note in report.notes if note.kind in ("lost", "approximated")]
    assert all(note.kind == "approximated" for note in apart)
    return {note.run for note in apart}


@pytest.fixture
def evalsets(shared):
    return [
        path for path in sorted((shared / "real/adk").glob("*.json")) if "session" not in path.name
    ]


@pytest.mark.parametrize("to", ["passhat", "langsmith", "openevals"])
def test_a_real_evalset_comes_back(to, evalsets, tmp_path):
    assert evalsets
    for number, path in enumerate(evalsets):
        folder = tmp_path / str(number)
        (folder / "back").mkdir(parents=True)
        there = convert_file(path, folder / "there.json", to=to)
        back = convert_file(folder / "there.json", folder / "back" / "back.json", to="adk")
        # A call of a tool that takes nothing: to ADK it is not the same without arguments.
        assert all(NO_ARGUMENTS.fullmatch(run) for run in runs(there)), path.name
        assert runs(back) == runs(there), path.name
        found = said(json.loads((folder / "back" / "back.json").read_bytes()))
        written = said(json.loads(path.read_bytes()))
        if isinstance(written, dict):
            assert found == written, path.name
        else:
            assert any(LEGACY in note.note for note in there.notes), path.name
            (folder / "now").mkdir()
            convert_file(path, folder / "now" / "now.json", to="adk")
            assert found == said(json.loads((folder / "now" / "now.json").read_bytes()))
        assert [name.name for name in (folder / "back").iterdir()] == ["back.json"]


def test_real_recordings_go_into_every_form(shared, tmp_path):
    recordings = [
        *(shared / "real/adk").glob("*session.json"),
        *(shared / "real/langsmith").glob("*.json"),
    ]
    assert recordings
    for number, path in enumerate(recordings):
        for to in ("passhat", "adk", "langsmith", "openai", "openevals", "langgraph"):
            report = convert_file(path, tmp_path / f"{number}.{to}.jsonl", to=to)
            assert report.what == "traces"
            assert report.count > 0
