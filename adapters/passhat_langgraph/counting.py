"""How often each tool really began: again for each retry, whoever retries it."""

from __future__ import annotations

from collections import Counter
from threading import Lock
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler


class Begun(BaseCallbackHandler):
    """Counts how often the tool of each call began, by the call's id and the tool's name."""

    run_inline = True

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self._lock = Lock()

    def on_tool_start(
        self,
        serialized: dict[str, Any] | None,
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        inputs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A tool begins."""
        id, name = kwargs.get("tool_call_id"), (serialized or {}).get("name") or kwargs.get("name")
        if isinstance(id, str):
            with self._lock:
                self.counts[id, str(name)] += 1
