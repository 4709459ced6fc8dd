"""How fast suites are read.

    python benchmarks/suites.py

Prints, in one run and as multiples of the CPU time of `json.loads` on the same bytes, how long
`passhat.read_suite` takes for suites of ten calls a case: as JSON and JSONL, with and without tools to
hold the names to, and with a fault, so that all is read again with its lines; YAML, as a multiple of
what its library takes to tell what is in the file; and the same suite from memory.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from _timing import best

from passhat import read_suite
from passhat.errors import SuiteError
from passhat.suitefile import suite_from

CASES = 500
TOOLS = [f"tool_{at}" for at in range(10)]
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def case(number: int) -> dict[str, Any]:
    """A case of ten calls."""
    calls = [
        {"name": name, "args": {"order_id": f"A{number}", "amount": at / 4, "note": "as asked"}}
        for at, name in enumerate(TOOLS)
    ]
    return {
        "id": f"case-{number}",
        "input": f"Please refund order A{number} and tell me what happens to the rest.",
        "tags": ["refund", "billing"],
        "expected_calls": calls,
        "mode": "in_order",
        "response": {"includes": ["refunded"]},
        "budget": {"tool_calls": 12},
    }


def suite(**more: Any) -> dict[str, Any]:
    """A suite of such cases."""
    return {
        "schema": "passhat.suite/1",
        "name": "many",
        **more,
        "cases": [*map(case, range(CASES))],
    }


def told(what: str, text: str, ending: str, plain: Callable[[], object], than: str) -> None:
    """Prints how much longer a suite's file takes than something plainer."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"many.{ending}"
        path.write_text(text, encoding="utf-8")

        def read() -> None:
            try:
                read_suite(path)
            except SuiteError:
                assert "fault" in what, what

        plainly, took = best(plain, read)
    print(f"{took / plainly:5.1f} x {than}: {what}")


def main() -> None:
    """Measures and prints."""
    loads, many = "json.loads", f"{CASES} cases of 10 calls"
    # No value is kept: what is alive would slow json.loads down, by the collector of cycles.
    rows = [json.dumps(row) for row in suite()["cases"]]
    text = json.dumps(suite())
    faulty = text.replace('"in_order"', '"inorder"', 1)
    tooled = json.dumps(suite(tools=TOOLS))
    spelt = yaml.safe_dump(suite(), sort_keys=False)
    told(f"JSON, {many}", text, "json", lambda: json.loads(text), loads)
    told("the same with tools", tooled, "json", lambda: json.loads(tooled), loads)
    told("the same with a fault", faulty, "json", lambda: json.loads(faulty), loads)
    told("JSONL", "\n".join(rows), "jsonl", lambda: [json.loads(row) for row in rows], loads)
    events = "what libyaml tells" if LOADER is not yaml.SafeLoader else "what PyYAML tells"
    told("YAML", spelt, "yaml", lambda: sum(1 for _ in yaml.parse(spelt, Loader=LOADER)), events)
    value = suite()
    loaded, took = best(lambda: json.loads(text), lambda: suite_from(value))
    print(f"{took / loaded:5.1f} x {loads}: the same suite from memory")


if __name__ == "__main__":
    main()
