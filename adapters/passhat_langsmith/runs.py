"""Runs, as LangSmith records them, from live objects or dicts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from msgspec import Struct, field

from passhat.errors import Place, TraceError
from passhat.recordings.shapes import kind_of
from passhat_langsmith.errors import UNTOLD
from passhat_langsmith.exported import as_run
from passhat_langsmith.spans import has_attributes, span_of

_TOTALS = (
    *("prompt_tokens", "completion_tokens", "prompt_token_details", "completion_token_details"),
    "child_run_ids",
)
_SINCE_1973, _UNTIL_9999 = 100_000_000_000, 253_402_300_800_000
"""Milliseconds; a number that is not between them is no time that LangSmith wrote."""
_ROOT = re.compile(r"\d{8}T\d{12}Z[0-9a-fA-F-]{36}")


class Run(Struct, eq=False, repr_omit_defaults=True):
    """One run, as LangSmith records it.

    Args:
        id: Its id.
        name: What ran.
        kind: `chain`, `llm`, `tool`, `retriever`, ...
        parent: The id of the run it was started in.
        trace_id: The id of the root of its tree.
        order: Its place in time, as `dotted_order` writes it.
        started: When it began, seconds since the epoch.
        ended: When it ended.
        inputs: What it was given, as it was found: live objects are read when they are needed.
        outputs: What it gave.
        error: What it failed with, as written: the exception and its traceback.
        extra: What the tracer adds.
        metadata: What of that is metadata.
        events: When it began, ended, and gave tokens.
        tags: Labels.
        example_id: The dataset's example that it ran on.
        feedback: What `feedback_stats` says.
        cost: What LangSmith computed that it cost.
        files: What is attached to it, by name.
        totals: What the server counted of a model's request, or of a root: the tokens, and the runs,
            of the whole trace.
        elsewhere: Which of its inputs and outputs are not here: LangSmith stores large ones apart.
        children: The runs that were started in it, in time order.
        above: The run it was started in.
    """

    id: str
    name: str = ""
    kind: str = "chain"
    parent: str | None = None
    trace_id: str | None = None
    order: str = ""
    started: float | None = None
    ended: float | None = None
    inputs: Any = None
    outputs: Any = None
    error: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    events: Any = None
    tags: Any = None
    example_id: str | None = None
    feedback: Any = None
    cost: Any = None
    files: Any = None
    elsewhere: tuple[str, ...] = ()
    totals: Mapping[str, Any] = field(default_factory=dict)
    children: list[Run] = field(default_factory=list)
    above: Run | None = None

    @property
    def thread(self) -> str | None:
        """The thread it belongs to, by any of the three keys that LangSmith knows."""
        for key in ("session_id", "thread_id", "conversation_id"):
            if self.metadata.get(key) is not None:
                return str(self.metadata[key])
        return None


def is_run(value: Any) -> bool:
    """Whether a value is a run: a dict with its type, or an object of LangSmith's.

    >>> is_run({"id": "r", "run_type": "chain"}), is_run({"role": "user"})
    (True, False)
    """
    if type(value) is dict or isinstance(value, Mapping):
        return isinstance(value.get("run_type"), str) and ("id" in value or "run_id" in value)
    return hasattr(value, "run_type") and hasattr(value, "inputs")


def id_of(run: Mapping[str, Any]) -> str:
    """The id of a run, whichever way it is written."""
    return str(run.get("id") or run.get("run_id"))


def field_in(value: Any, key: str) -> Any:
    """A field of a run, whether it is a dict or an object; None where it has none."""
    dumped = type(value) is dict or isinstance(value, Mapping)
    return value.get(key) if dumped else getattr(value, key, None)


def getter(value: Any) -> Callable[[str], Any]:
    """What gives the fields of a run; asked for one that it has not, it gives None."""
    if type(value) is dict or isinstance(value, Mapping):
        return value.get
    if hasattr(type(value), "model_fields") and not getattr(value, "__pydantic_extra__", None):
        fields: dict[str, Any] = vars(value)  # To ask a model for a field that it lacks is slow.
        return fields.get
    return partial(field_in, value)


def listed(value: Any) -> list[Any]:
    """What should be a list, as one; empty for anything else."""
    return [] if value is None else list(value) if isinstance(value, list | tuple) else []


def read_run(value: Any, path: str, parent: str | None) -> Run:
    """A run, without those inside it.

    Args:
        value: A dict, or an object of LangSmith's.
        path: Where it stands, for the error.
        parent: The id of the run that holds it, where it does not say so itself.

    Raises:
        TraceError: It is no run, or cannot be read; the error names it.
    """
    get: Callable[[str], Any]
    if type(value) is dict and type(value.get("run_type")) is str and "id" in value:
        get = value.get
    elif is_run(value):
        get = getter(as_run(value) if type(value) is dict and "id" not in value else value)
    else:
        what = kind_of(value) if not isinstance(value, Mapping) else "an object without them"
        within = "" if parent is None else f"run {parent}: inside it, "
        raise TraceError(f"{within}a run has an id and a run_type, not {what}", Place(path=path))
    if (id := get("id")) is None:
        raise TraceError("a run has an id, not null", Place(path=f"{path}.id"))
    id = str(id)
    inputs, outputs, extra = get("inputs"), get("outputs"), get("extra")
    if not (type(inputs) is type(outputs) is type(extra) is dict):
        _need_objects(id, path, inputs=inputs, outputs=outputs, extra=extra)
    above = get("parent_run_id")
    if not above:
        above = next(reversed(listed(get("parent_run_ids"))), None) or parent
    metadata = extra.get("metadata") if extra else None
    if metadata is None:
        metadata = get("metadata")  # Where the newer API has it.
    if type(metadata) is not dict and not isinstance(metadata, Mapping):
        metadata = {}
    kind, name = str(get("run_type")).lower(), str(get("name") or "")
    if has_attributes(metadata, inputs, outputs):
        span = span_of(kind, name, inputs or {}, outputs or {}, metadata)
        kind, name, inputs, outputs, metadata, more = span
        extra = {**(extra or {}), **more}
    error, trace_id, example = get("error"), get("trace_id"), get("reference_example_id")
    if not error and not above and get("status") == "error":
        error = UNTOLD
    order = str(get("dotted_order") or "")
    apart: tuple[str, ...] = ("inputs",) if not inputs and get("inputs_s3_urls") else ()
    if not outputs and get("outputs_s3_urls"):
        apart = (*apart, "outputs")
    if trace_id is None and order:
        trace_id = trace_in(order)
    return Run(
        id,
        name,
        kind,
        None if above is None else str(above),
        None if trace_id is None else str(trace_id),
        order,
        seconds_of(get("start_time")),
        seconds_of(get("end_time")),
        inputs,
        outputs,
        None if not error else str(error),
        extra or {},
        metadata,
        get("events"),
        get("tags"),
        None if example is None else str(example),
        get("feedback_stats"),
        get("total_cost"),
        get("attachments") or get("s3_urls"),
        apart,
        {key: held for key in _TOTALS if (held := get(key))} if not above or kind == "llm" else {},
    )


def _need_objects(id: str, path: str, **fields: Any) -> None:
    for key, held in fields.items():
        if held is not None and not isinstance(held, Mapping):
            raise TraceError(
                f"run {id}: {key} are an object, not {kind_of(held)}", Place(path=f"{path}.{key}")
            )


def trace_in(order: str) -> str | None:
    """The trace that a `dotted_order` names: it begins with the time and the id of the root.

    >>> trace_in("20260101T000000000000Z00000000-0000-4000-8000-000000000001")
    '00000000-0000-4000-8000-000000000001'
    """
    first = order.split(".")[0]
    return first[-36:] if _ROOT.fullmatch(first) else None


def run_in(order: str) -> str | None:
    """The run that a `dotted_order` is of: it ends with the time and the id of the run itself."""
    return trace_in(order.rpartition(".")[2])


def seconds_of(value: Any) -> float | None:
    """A time as seconds since the epoch; LangSmith means UTC where it names no zone.

    Its client for JavaScript writes milliseconds since the epoch.

    >>> seconds_of("1970-01-01T00:00:01.5"), seconds_of("1970-01-01T00:00:01Z"), seconds_of("soon")
    (1.5, 1.0, None)
    >>> seconds_of(1728803137170)
    1728803137.17
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, int | float) and _SINCE_1973 < value < _UNTIL_9999:
        return value / 1000
    return None
