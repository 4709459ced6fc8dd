"""The runner of the docs: what it runs, what it lets pass, what it says and what it writes."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from docs_blocks import fits
from docs_page import Page
from docs_run import ROOT, lay_out, run_page


def page_of(folder: Path, text: str) -> Page:
    path = folder / "page.md"
    path.write_text(dedent(text).lstrip(), encoding="utf-8")
    return Page(path)


def run(folder: Path, text: str):
    page = page_of(folder, text)
    scratch = folder / "scratch"
    scratch.mkdir()
    return page, run_page(page, scratch)


@pytest.mark.parametrize(
    ("shown", "printed", "fit"),
    [
        ("a b", "a b", True),
        ("a b", "a", False),
        ("", "", True),
        ("...", "", True),
        ("...", "a b c", True),
        ("a ... c", "a c", True),
        ("a ... c", "a b b c", True),
        ("a ... a", "a", False),
        ("... b ... b", "a b a", False),
        ("... b ... b", "b b", True),
        ("a ... b c ... d", "a x b c y d", True),
        ("a ... b c ... d", "a x b y c d", False),
        ("... ... z", "x z", True),
    ],
)
def test_three_dots_stand_for_any_lines(shown: str, printed: str, fit: bool) -> None:
    assert fits(shown.split(), printed.split()) is fit


def test_a_page_that_tells_the_truth_stays_as_it_is(tmp_path: Path) -> None:
    page, ran = run(
        tmp_path,
        """
        ```yaml title="words.yaml"
        - one
        ```

        ```python
        from pathlib import Path

        word = Path("words.yaml").read_text().strip()
        print(word)
        #> - one
        for n in range(2):
            print(n)
            #> 0
            #> 1
        ```

        !!! note

            ```python
            print(word.upper(), end="")
            #> - ONE
            ```

        ```console
        $ cat words.yaml; echo $COLUMNS
        - one
        100

        $ printf '%s\\n' \\
            a b
        a
        ...
        $ false
        $ echo $?
        1
        ```

        ```json
        {"shown": "and not run"}
        ```
        """,
    )
    assert ran.lines == page.lines
    assert ran.faults == []


def test_what_is_printed_takes_the_place_of_what_is_said(tmp_path: Path) -> None:
    _, ran = run(
        tmp_path,
        """
        - in a list

            ```python
            print("a\\n\\nb")
            #> c
            x = 1
            #> nothing printed this
            ```

        ```console
        $ echo new
        old

        $ echo quiet > file
        said
        ```
        """,
    )
    assert ran.lines == dedent(
        """
        - in a list

            ```python
            print("a\\n\\nb")
            #> a
            #>
            #> b
            x = 1
            ```

        ```console
        $ echo new
        new

        $ echo quiet > file
        ```
        """
    ).strip("\n").split("\n")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("```console\n$ exit 3\n$ true\n```\n", "page.md:2: `exit 3` exits with 3"),
        ("```console\n$ exit 3\n```\n", "no `$ echo $?` follows"),
        ("```console\npasshat score\n```\n", "a session begins with a command"),
        ("```sh\n$ passhat demo\n```\n", "a sh block is not run"),
        ("```\n>>> 1 + 1\n```\n", "a plain block is not run"),
    ],
)
def test_a_block_that_cannot_be_trusted_is_a_fault(tmp_path: Path, text: str, fault: str) -> None:
    _, ran = run(tmp_path, text)
    assert len(ran.faults) == 1
    assert fault in ran.faults[0]


def test_an_exception_names_the_line_of_the_page(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run(tmp_path, "text\n\n```python\nx = 0\n\n1 / x\n```\n")
    last = caught.traceback[-1]
    assert (Path(last.path).name, last.lineno + 1) == ("page.md", 6)


def test_the_page_names_the_folder_it_works_on(tmp_path: Path) -> None:
    page = page_of(tmp_path, "<!-- folder: tools -->\n")
    lay_out(page, tmp_path / "copy")
    assert (tmp_path / "copy/docs_run.py").is_file()
    with pytest.raises(FileNotFoundError):
        lay_out(page_of(tmp_path, "<!-- folder: no/such -->\n"), tmp_path / "none")


def test_the_command_tells_the_difference_and_writes_it_on_demand(tmp_path: Path) -> None:
    page = page_of(tmp_path, "```python\nprint(1 + 1)\n#> 3\n```\n")
    command = [sys.executable, str(ROOT / "tools/docs_run.py"), str(page.path)]
    told = subprocess.run(command, capture_output=True, text=True, env={})
    assert told.returncode == 1
    assert "-#> 3\n+#> 2\n" in told.stdout
    subprocess.run(command, check=True, capture_output=True, env={"UPDATE_DOCS": "1"})
    assert page.path.read_text() == "```python\nprint(1 + 1)\n#> 2\n```\n"
    subprocess.run(command, check=True, env={})
