"""Examples as LangSmith's own objects, from what stands for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any
from uuid import UUID

from passhat.case import Suite
from passhat.errors import UsageError
from passhat.recordings.shapes import kind_of
from passhat_langsmith.attachments import content_of
from passhat_langsmith.cases import FILES, KEPT, OURS, field_of
from passhat_langsmith.needs import need_langsmith
from passhat_langsmith.suites import from_suite, uuid_of

if TYPE_CHECKING:
    from langsmith.schemas import Example


def as_examples(data: Any) -> list[Example]:
    """Examples as LangSmith's own objects, from a suite, dicts, or such objects.

    Raises:
        UsageError: There are none, something is no example, or two have the same id.
    """
    need_langsmith()
    from langsmith.schemas import Example

    values: Iterable[Any] = from_suite(data) if isinstance(data, Suite) else data
    found: list[Example] = []
    for at, value in enumerate(values):
        if isinstance(value, Example):
            found.append(value)
            continue
        if not isinstance(value, dict) or not isinstance(value.get("inputs"), dict):
            raise UsageError(f"examples[{at}]: an example is an object with its inputs")
        outputs = field_of(value, "reference_outputs", "outputs")
        metadata = value.get("metadata") or {}
        for name, held in (("outputs", outputs), ("metadata", metadata)):
            if not isinstance(held, dict | None):
                raise UsageError(f"examples[{at}]: {name} are an object, not {kind_of(held)}")
        id = str(value.get("id") or at)
        found.append(
            Example(
                id=uuid_of(id),
                dataset_id=UUID(int=0),
                inputs=value["inputs"],
                outputs=outputs,
                metadata=dict(metadata),
                attachments=_attached(value),
            )
        )
    if not found:
        raise UsageError("there are no examples, so nothing would be tested")
    ids: dict[Any, int] = {}
    for at, example in enumerate(found):
        if (first := ids.setdefault(example.id, at)) != at:
            raise UsageError(f"examples[{first}] and examples[{at}] have the same id {example.id}")
    return found


def _attached(example: Mapping[str, Any]) -> Any:
    """The files of an example as LangSmith hands them to a target that takes `attachments`."""
    ours = (example.get("metadata") or {}).get(OURS)
    kept = (ours.get("extensions") or {}).get(KEPT) if isinstance(ours, dict) else None
    held = kept.get(FILES) if isinstance(kept, dict) else None
    found = {}
    for name, one in (held if isinstance(held, dict) else {}).items():
        content = content_of(one) if isinstance(one, dict) else None
        if content is not None:
            about = {"presigned_url": "", "mime_type": one.get("mime_type")}
            found[name] = {**about, "reader": BytesIO(content)}
    return found or None
