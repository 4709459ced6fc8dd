"""The check of links: which lead somewhere, which do not, and what is no link."""

from pathlib import Path

import pytest

from docs_links import dead_links


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "docs/guide").mkdir(parents=True)
    (tmp_path / "LICENSE").touch()
    (tmp_path / "docs/guide/start.md").write_text("# Start\n\n## What pass^k says, `k` of n\n")
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "[site](https://example.org/a#b) and <b>",
        "[licence](LICENSE)",
        "[start](docs/guide/start.md)",
        "[start](docs/guide/start.md#what-passk-says-k-of-n 'a title')",
        "[folder](docs/guide/) and ![image](LICENSE)",
        "[here](#twice-1)\n# Twice\n# Twice\n",
        "`[code](nowhere.md)`",
        "```python\n[x](nowhere.md)\n```",
        "<!-- [comment](nowhere.md) -->",
    ],
)
def test_links_that_lead_somewhere(root: Path, text: str) -> None:
    page = root / "README.md"
    page.write_text(text)
    assert dead_links([page], root) == []


@pytest.mark.parametrize(
    ("file", "text", "fault"),
    [
        ("README.md", "a\n[x](nowhere.md)", "README.md:2: nowhere.md: no such file"),
        ("README.md", "[x]: nowhere.md", "README.md:1: nowhere.md: no such file"),
        ("README.md", '<img src="nowhere.png">', "README.md:1: nowhere.png: no such file"),
        ("README.md", "[x](docs/guide/start.md#end)", "no such heading"),
        ("README.md", "[x](#end)", "no such heading"),
        ("README.md", "[x](/LICENSE)", "neither a web address nor a path"),
        ("README.md", "[x](../README.md)", "leads out of the repository"),
        ("docs/guide/end.md", "[x](../../LICENSE)", "leads out of the docs"),
    ],
)
def test_links_that_lead_nowhere(root: Path, file: str, text: str, fault: str) -> None:
    page = root / file
    page.write_text(text)
    (found,) = dead_links([page], root)
    assert fault in found
