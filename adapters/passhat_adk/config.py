"""`test_config.json`: reading it, and making `passhat_case` one of its criteria."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from passhat.errors import InputError, Place
from passhat.jsontext import decode, jsonable, read_bytes
from passhat.recordings.shapes import kind_of
from passhat_adk.criteria import CASE_METRIC
from passhat_adk.native import CONFIG, snaked

CASE_FUNCTION = f"passhat_adk.metrics.{CASE_METRIC}"


def read_config(source: Any) -> dict[str, Any]:
    """A configuration, with ADK's keys in snake case.

    Args:
        source: A file, or a configuration as JSON or as ADK's own object.

    Raises:
        InputError: It cannot be read, or is no object. A file that is not there is an error here;
            ADK would take its defaults.

    >>> read_config({"criteria": {}, "customMetrics": {}})
    {'criteria': {}, 'custom_metrics': {}}
    """
    place = Place(str(source)) if isinstance(source, str | Path) else Place()
    if isinstance(source, str | Path):
        value = decode(read_bytes(source), place)
    else:
        value = jsonable(source)
    if not isinstance(value, dict):
        raise InputError(f"a configuration is an object, not {kind_of(value)}", place)
    held = dict(snaked(value, CONFIG))
    if not isinstance(held.get("criteria", {}), dict):
        raise InputError("criteria are an object: a criterion for each metric", place)
    return {key: item for key, item in held.items() if item is not None}


def with_case_metric(config: Mapping[str, Any] | None) -> dict[str, Any]:
    """The configuration with `passhat_case` among its criteria; all else stays as it is.

    >>> with_case_metric(None)["criteria"]
    {'passhat_case': {'threshold': 1.0}}
    """
    held = dict(config or {})
    criteria = dict(held.get("criteria") or {})
    custom = dict(held.get("custom_metrics") or {})
    criteria.setdefault(CASE_METRIC, {"threshold": 1.0})
    custom.setdefault(
        CASE_METRIC,
        {
            "code_config": {"name": CASE_FUNCTION},
            "description": "All that a case expects, judged by passhat.",
        },
    )
    return {**held, "criteria": criteria, "custom_metrics": custom}
