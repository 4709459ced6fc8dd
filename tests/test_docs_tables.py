"""Tables in the docs that say what the code says are made of it; UPDATE_DOCS=1 writes them anew.

A page says `<!-- made by NAME -->` and `<!-- end -->`; what stands between is the table of that
name.
"""

import inspect
import os
import re
from collections.abc import Callable
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest

from passhat.grading import BROUGHT_BY, CATALOGUE
from passhat.grading.catalogue import INFORMING, RESPONSE_KEYS, check_class
from passhat.match.dialects import DIALECTS, LIMITS, gallery_markdown, table_markdown
from passhat.result import FAILURE_CLASSES

DOCS = Path(__file__).resolve().parent.parent / "docs"
MADE = re.compile(r"<!-- made by (.+?) -->\n(.*?)<!-- end -->", re.DOTALL)
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if MADE.search(page.read_text("utf-8"))]


def limits() -> str:
    rows = [f"| {name} | It {limit.why} |" for name, limit in LIMITS.items()]
    return "\n".join(["| but for | |", "| --- | --- |", *rows])


def by_file() -> dict[str, list[str]]:
    """The keys of the catalogue by the file that their classes stand in."""
    found: dict[str, list[str]] = {}
    for key, path in CATALOGUE.items():
        found.setdefault(path.partition(":")[0], []).append(key)
    return found


def title_of(file: str) -> str:
    return file.replace("_", " ").capitalize()


def checks() -> str:
    """The catalogue, a table for each file: what a check says, needs and scores, what brings it."""
    parts = []
    for file, keys in by_file().items():
        question = first_sentence(import_module(f"passhat.checks.{file}"))
        head = [
            "| check | says | score | needs | brought by |",
            "| --- | --- | --- | --- | --- |",
        ]
        parts.append("\n".join([f"### {title_of(file)}\n\n{question}\n", *head, *map(row, keys)]))
    return "\n\n".join(parts)


def check_entries() -> str:
    """An entry of the reference for each check, by file."""
    parts = []
    for file, keys in by_file().items():
        parts.append(
            f"## {title_of(file)}\n\n{inspect.getdoc(import_module(f'passhat.checks.{file}'))}"
        )
        for key in keys:
            place = f"passhat.checks.{CATALOGUE[key].replace(':', '.')}"
            parts.append(f"### `{key}`\n\n::: {place}\n    options:\n      heading_level: 4")
    return "\n\n".join(parts)


def row(key: str) -> str:
    check = check_class(key)
    options = [field.name for field in fields(check)]
    said = first_sentence(check).removesuffix(".")
    if check.lower_is_better:
        said = said.removesuffix("; 0 is best")
    needs = ", ".join(f"`{need}`" for need in check.needs)
    by = [f"`{name}`" for name, brings in BROUGHT_BY.items() if key in brings]
    by += [f"`response.{name}`" for name in RESPONSE_KEYS if key == f"response_{name}"]
    by += ["*informs*"] if key in INFORMING else []
    named = f"`{key}`" + (f"<br>{', '.join(options)}" if options else "")
    return f"| {named} | {said} | {score(check)} | {needs} | {', '.join(by)} |"


def score(check) -> str:
    if check.lower_is_better:
        return "share, 0 is best"
    said = " ".join(inspect.getdoc(check.judge).split())
    return "1 or 0" if "the score is 1 or 0" in said or said.startswith("Whether") else "0 to 1"


def first_sentence(what) -> str:
    return re.split(r"(?<=\.)\s", " ".join(inspect.getdoc(what).split()))[0]


def failure_classes() -> str:
    """The classes of failures in their order, each with its level and what it means."""
    rows = [
        f"| `{name}` | {held.level} | {held.meaning[:1].upper()}{held.meaning[1:]} |"
        for name, held in FAILURE_CLASSES.items()
    ]
    return "\n".join(["| class | level | the run |", "| --- | --- | --- |", *rows])


TABLES: dict[str, Callable[[], str]] = {
    "checks": checks,
    "check_entries": check_entries,
    "limits": limits,
    "failure classes": failure_classes,
    "gallery": gallery_markdown,
    **{one.name: lambda name=one.name: table_markdown(name) for one in DIALECTS},
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_tables_are_what_the_code_says(page):
    written = page.read_text(encoding="utf-8")
    made = MADE.sub(
        lambda part: f"<!-- made by {part[1]} -->\n\n{TABLES[part[1]]()}\n\n<!-- end -->", written
    )
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(made, encoding="utf-8")
    elif made != written:
        pytest.fail("UPDATE_DOCS=1 pytest tests/test_docs_tables.py", pytrace=False)
