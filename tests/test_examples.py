"""What the examples' own pages cannot show: that a reader is found once it is installed."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

READER = Path(__file__).resolve().parent.parent / "examples/reader"


def test_a_reader_of_ones_own_is_found_by_its_entry_point(tmp_path: Path) -> None:
    shutil.copy(READER / "agentlog.py", tmp_path)
    project = tomllib.loads((READER / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = tmp_path / f"{project['name']}-{project['version']}.dist-info"
    installed.mkdir()
    about = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (installed / "METADATA").write_text(about, encoding="utf-8")
    points = project["entry-points"]["passhat.adapters"]
    lines = ["[passhat.adapters]", *(f"{name} = {place}" for name, place in points.items())]
    (installed / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")

    ran = subprocess.run(
        [
            Path(sys.executable).with_name("passhat"),
            "score",
            READER / "log.jsonl",
            "--checks",
            "loops",
        ],
        env={**os.environ, "PYTHONPATH": str(tmp_path), "COLUMNS": "100"},
        capture_output=True,
        text=True,
    )
    assert "2 runs of 1 case · log.jsonl (agentlog)" in ran.stdout, ran.stderr
