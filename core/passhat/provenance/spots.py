"""A scalar in the arguments of a call, whose origin is to be told."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from passhat.provenance.origins import Kind, Origin, Source
from passhat.provenance.places import Node, path_of


class Spot(Struct, frozen=True, eq=False):
    """A scalar in the arguments of a call."""

    node: Node
    value: Any
    step: int
    call: int
    tool: str

    @property
    def name(self) -> str:
        """The name it stands under; for an item of a list, the list's."""
        node = self.node
        while node is not None:
            node, key = node
            if isinstance(key, str):
                return key
        return ""

    @property
    def arg(self) -> str:
        """The argument it stands in."""
        node, key = self.node or (None, "")
        while node is not None:
            node, key = node
        return str(key)

    def origin(
        self,
        kind: Kind,
        sources: tuple[Source, ...] = (),
        how: str = "",
        note: str = "",
        *,
        identifier: bool = False,
        tainted: bool = False,
        nearest: Source | None = None,
        bounded: bool = False,
    ) -> Origin:
        """Its origin."""
        return Origin(
            self.call, self.tool, self.arg, path_of(self.node), self.value, kind, sources, how,
            note, identifier, tainted, nearest, bounded,
        )  # fmt: skip
