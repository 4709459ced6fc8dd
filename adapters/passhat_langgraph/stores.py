"""A store of a trial's own: it reads what the graph's store holds, and keeps to itself what is written.

So trials do not see what one of them wrote, and the graph's store stays as it is, whatever it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from threading import Lock
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

_ALL = 1_000_000
"""How many entries are asked for where those that were written over must be left out."""


class OwnStore(BaseStore):
    """Another store as it is, with what is written since beside it.

    Args:
        under: The store that is read, and never written.
    """

    def __init__(self, under: BaseStore) -> None:
        self.under = under
        self.supports_ttl = under.supports_ttl
        self.ttl_config = getattr(under, "ttl_config", None)
        self._own = InMemoryStore(index=getattr(under, "index_config", None))
        self._written: set[tuple[tuple[str, ...], str]] = set()
        self._lock = Lock()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """What each operation gives, as the store beneath with all that was written would."""
        return [self._done(op, self._beneath(op)) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, awaited."""
        found: list[Result] = []
        for op in ops:
            asked = _asked(op)
            below = (await self.under.abatch([asked]))[0] if asked is not None else None
            found.append(self._done(op, below))
        return found

    def _beneath(self, op: Op) -> Any:
        asked = _asked(op)
        return self.under.batch([asked])[0] if asked is not None else None

    def _done(self, op: Op, below: Any) -> Any:
        with self._lock:
            if isinstance(op, PutOp):
                self._written.add((op.namespace, op.key))
                value = None if op.value is None else deepcopy(dict(op.value))
                self._own.batch([op._replace(value=value, ttl=None)])
                return None
            if isinstance(op, GetOp):
                if (op.namespace, op.key) in self._written:
                    below = self._own.batch([op])[0]
                return deepcopy(below)
            if isinstance(op, SearchOp):
                return self._found(op, below)
            assert isinstance(op, ListNamespacesOp)
            own: Any = self._own.batch([op._replace(limit=_ALL, offset=0)])[0]
            spaces = sorted({*(below or ()), *own})
            return spaces[op.offset : op.offset + op.limit]

    def _found(self, op: SearchOp, below: list[SearchItem] | None) -> list[SearchItem]:
        own: Any = self._own.batch([op._replace(limit=_ALL, offset=0)])[0]
        kept = [item for item in below or () if not self._wrote(item)]
        found = [*own, *kept]
        if op.query:
            found.sort(key=lambda item: item.score if item.score is not None else -1, reverse=True)
        return deepcopy(found[op.offset : op.offset + op.limit])

    def _wrote(self, item: Item) -> bool:
        return (tuple(item.namespace), item.key) in self._written


def _asked(op: Op) -> Op | None:
    """What is asked of the store beneath, which is to change nothing there; None for a write."""
    if isinstance(op, PutOp):
        return None
    if isinstance(op, GetOp):
        return op._replace(refresh_ttl=False)
    if isinstance(op, SearchOp):
        return op._replace(limit=_ALL, offset=0, refresh_ttl=False)
    return op._replace(limit=_ALL, offset=0)
