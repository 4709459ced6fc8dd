"""Where each argument came from: the origins, and how one is found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from passhat.case import Case
from passhat.provenance.content import Node, number_text, path_of
from passhat.provenance.derivation import Derivation
from passhat.provenance.gathering import seen_in
from passhat.provenance.hidden import telling_parts
from passhat.provenance.identifiers import (
    is_free_text,
    is_identifier,
    is_named_identifier,
    is_prose,
    is_reserved,
    shape,
)
from passhat.provenance.nearest import Nearest
from passhat.provenance.scalars import keys_of, scalars
from passhat.provenance.schemas import is_constant, merged, parts_for
from passhat.provenance.seen import Hit, Passage, Seen
from passhat.provenance.texts import tokens
from passhat.trace import ToolCall, Trace

Kind: TypeAlias = Literal["said", "returned", "given", "constant", "derived", "written", "nowhere"]

_MOST_SOURCES = 5
_NO_SCHEMA: Mapping[str, Any] = {}
_LONGEST_CODE = 80
_LONGEST_TEXT = 20_000


class Source(Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True):
    """Where a value stood before it was used.

    Attributes:
        kind: `said` by the user, `returned` by a call, or `given` from the start.
        label: What holds it: `the user's words`, the tool's name, `the system prompt`.
        step: The index of that step in the trace; -1 for what was there from the start.
        call: The index, among all calls, of the call that returned it.
        path: The JSON path in what holds it, where that is JSON.
        value: The value as it stood there, where that is not the value itself.
        trusted: Whether it came from nowhere that an outsider writes.
    """

    kind: Literal["said", "returned", "given"]
    label: str
    step: int
    call: int | None = None
    path: str | None = None
    value: Any = None
    trusted: bool = True

    def __str__(self) -> str:
        """The source in words.

        >>> print(Source("returned", "get_user", 4, 0, "$.cards[0].id"))
        get_user (call 0) at $.cards[0].id
        """
        where = self.label if self.call is None else f"{self.label} (call {self.call})"
        if self.call is None and self.step >= 0:
            where += f" (step {self.step})"
        return f"{where} at {self.path}" if self.path not in (None, "$") else where


class Origin(Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True):
    """Where one scalar in the arguments of one call came from.

    Attributes:
        call: The index of the call among all calls of the trace.
        tool: The tool it calls.
        arg: The argument it stands in.
        path: Its JSON path in the arguments.
        value: The value.
        kind: `said` (by the user), `returned` (by an earlier call), `given` (system prompt, initial
            state, the case's input), `constant` (of the tool's schema; true, false, null and empty
            text too), `derived` (from one of these), `written` (free text, which is not judged) or
            `nowhere`.
        sources: Where it stood, the plainest place first; the terms of what was derived.
        how: How it was derived: `case`, `spacing`, `number`, `date`, `phone`, `part`, `words`,
            `unit`, `sum`, `difference`, `product` or `share`.
        note: The derivation as one would write it: `152 + 103`.
        identifier: Whether it names one particular thing, so that it must come from somewhere.
        tainted: Whether all it came from was untrusted.
        nearest: The seen value that a made-up one is most like, with where it stood.
        bounded: Whether numbers were left out of the search for a sum, or the search for a sum or
            for the nearest value was not made, as there were too many.
    """

    call: int
    tool: str
    arg: str
    path: str
    value: Any
    kind: Kind
    sources: tuple[Source, ...] = ()
    how: str = ""
    note: str = ""
    identifier: bool = False
    tainted: bool = False
    nearest: Source | None = None
    bounded: bool = False

    @property
    def made_up(self) -> bool:
        """Whether it is an identifier from nowhere."""
        return self.identifier and self.kind == "nowhere"

    def __str__(self) -> str:
        """The origin in words."""
        if self.kind == "derived":
            of = self.note or (str(self.sources[0]) if self.sources else "")
            said = f"derived ({self.how}): {of}" if of else f"derived ({self.how})"
        elif self.sources:
            said = f"{self.kind}: {self.sources[0]}"
        else:
            said = "made up" if self.made_up else self.kind
        if self.made_up and self.nearest is not None:
            said += f", nearest {self.nearest.value} in {self.nearest}"
        return f"{said}, tainted" if self.tainted else said


def trace_arguments(
    trace: Trace,
    case: Case | None = None,
    *,
    untrusted: Iterable[str] = (),
    planted: Iterable[str] = (),
) -> tuple[Origin, ...]:
    """The origin of every scalar in the arguments of every call, in order.

    Only what the agent could have seen counts: what the user and the system said before, results
    that were answered before the call was asked for, the initial state and the case's input. Its
    own words and its own arguments are no source, and neither is a result that only repeats an
    identifier which its call made up.

    Args:
        trace: What happened.
        case: Its case, for the input, the initial state and the tools' schemas.
        untrusted: Tools whose results an outsider may have written: what comes from them alone is
            tainted.
        planted: Texts that an attacker planted in results: what comes from them alone is tainted.

    >>> from passhat.trace import TraceBuilder
    >>> build = TraceBuilder("t")
    >>> build.user("Refund order A100, please.")
    >>> build.assistant(calls=[ToolCall("refund", {"order_id": "A100", "card_id": "card_77"})])
    >>> for origin in trace_arguments(build.trace()):
    ...     print(origin.path, origin)
    $.order_id said: the user's words (step 0)
    $.card_id made up
    """
    key = (frozenset(untrusted), tuple(planted))
    held: dict[Any, tuple[Case | None, tuple[Origin, ...]]]
    held = vars(trace).setdefault("_origins", {})
    found = held.get((id(case), key))
    if found is None or found[0] is not case:
        found = held[id(case), key] = (case, tuple(_Tracer(trace, case, *key)))
    return found[1]


class _Tracer:
    """Finds the origins of one trace."""

    def __init__(
        self, trace: Trace, case: Case | None, untrusted: frozenset[str], planted: tuple[str, ...]
    ) -> None:
        self.trace = trace
        self.seen: Seen = seen_in(trace, case, untrusted, planted)
        self.derivation = Derivation(self.seen)
        self.tainting = bool(untrusted or planted)
        offered = trace.tools or {}
        self.catalogue: Mapping[str, Any] = {**offered, **((case and case.tools) or {})}
        self.shapes: dict[str, set[str]] | None = None
        self.nearest = Nearest(self.seen)
        self.sources: dict[tuple[int, int], Source] = {}

    def __iter__(self) -> Iterator[Origin]:
        index = -1
        for at, step in enumerate(self.trace.steps):
            if type(step) is not ToolCall:
                continue
            index += 1
            schema = self.catalogue.get(step.name)
            for path, value in scalars(step.args):
                parts = parts_for(schema, path) if schema is not None else []
                origin = self._origin(value, path, parts, at, index, step.name)
                self._note_echoes(origin, path, at)
                yield origin

    def _note_echoes(self, origin: Origin, path: tuple[Any, ...], at: int) -> None:
        """Notes what the call's own result may repeat without being a source of it.

        That is what the call made up, in free text and in names of arguments too; and what it has
        from an outsider, who would else be vouched for.
        """
        value, index = origin.value, origin.call
        if origin.made_up or (origin.tainted and isinstance(value, str | int)):
            self.seen.echo(index, value)
        texts = [key for key in path[1:] if isinstance(key, str)]
        if isinstance(value, str) and origin.kind in ("written", "nowhere"):
            texts.append(value[:_LONGEST_TEXT])
        elif isinstance(value, int) and origin.kind == "nowhere":
            texts.append(number_text(value))
        for text in texts:
            if not any(map(str.isdigit, text)):
                continue
            for word in dict.fromkeys(tokens(text)):
                if any(map(str.isdigit, word)) and not self.seen.find(word, at):
                    self.seen.echo(index, word)

    def _origin(
        self,
        value: Any,
        path: tuple[Any, ...],
        parts: list[Mapping[str, Any]],
        at: int,
        index: int,
        tool: str,
    ) -> Origin:
        name = next((key for key in reversed(path) if isinstance(key, str)), "")
        where = {
            "call": index,
            "tool": tool,
            "arg": str(path[0]) if path else "",
            "path": path_of(_node(path)),
            "value": value,
        }
        if (
            value is None
            or isinstance(value, bool)
            or (isinstance(value, str) and not value.strip())
        ):
            return Origin(**where, kind="constant")
        identifier = is_identifier(name, value, merged(parts) if parts else _NO_SCHEMA)
        if isinstance(value, str) and not identifier and is_free_text(name, value):
            return self._written(where, value, at)
        derivation = self.derivation
        plain = derivation.plainly(value, at, identifier=identifier)
        constant = bool(parts) and is_constant(value, parts)
        if (
            plain is not None
            and not plain.how
            and (not constant or any(hit.passage.trusted for hit in plain.hits))
        ):
            return self._from(where, plain.hits, identifier=identifier)
        if constant:
            return Origin(**where, kind="constant", identifier=identifier)
        if (
            plain is None
            and self.tainting
            and isinstance(value, str)
            and (hit := self._outsider_in(value, at)) is not None
        ):
            return Origin(
                **where, kind="derived", sources=(_source(hit),), how="part",
                identifier=identifier, tainted=True,
            )  # fmt: skip
        found = plain or derivation.otherwise(value, name, at, identifier=identifier)
        if found is not None:
            return self._from(
                where, found.hits, identifier=identifier, how=found.how, note=found.note,
                values=found.values,
            )  # fmt: skip
        if isinstance(value, str) and not identifier and is_prose(value):
            return self._written(where, value, at)
        identifier = identifier or self._looks_like_its_kind(name, value)
        wanted = number_text(value) if isinstance(value, int) else value
        sought = identifier and isinstance(wanted, str)
        nearest = self.nearest.to(wanted, at) if sought and isinstance(wanted, str) else None
        return Origin(
            **where,
            kind="nowhere",
            identifier=identifier,
            nearest=None if nearest is None else _source(nearest[1], nearest[0]),
            bounded=derivation.bounded or self.seen.cut or (sought and self.nearest.full),
        )

    def _outsider_in(self, value: str, at: int) -> Hit | None:
        """Where an address, a host or a code in a value stands that came from an outsider alone."""
        for part in telling_parts(value[:_LONGEST_TEXT]):
            hits = self.seen.find(part, at)
            if hits and not any(hit.passage.trusted for hit in hits):
                return hits[0]
        return None

    def _written(self, where: dict[str, Any], value: str, at: int) -> Origin:
        """Free text, which is not judged; but tainted where it, or a part of it, is untrusted alone."""
        if not self.tainting:
            return Origin(**where, kind="written")
        hits = self.seen.find(value, at) if len(value) < _LONGEST_TEXT else []
        if hits:
            tainted = not any(hit.passage.trusted for hit in hits)
            sources = (_source(hits[0]),) if tainted else ()
            return Origin(**where, kind="written", sources=sources, tainted=tainted)
        if (hit := self._outsider_in(value, at)) is not None:
            return Origin(
                **where, kind="written", sources=(_source(hit),), how="part", tainted=True
            )
        return Origin(**where, kind="written")

    def _from(
        self,
        where: dict[str, Any],
        hits: list[Hit],
        *,
        identifier: bool,
        how: str = "",
        note: str = "",
        values: tuple[Any, ...] = (),
    ) -> Origin:
        tainted = bool(hits) and not any(hit.passage.trusted for hit in hits)
        if not values and len(hits) > 1:
            hits = sorted(hits, key=_rank)
        shown = hits[:_MOST_SOURCES]
        return Origin(
            **where,
            kind="derived" if how else shown[0].passage.kind,
            sources=(
                tuple(map(_source, shown, values + (None,) * (len(shown) - len(values))))
                if values
                else tuple(map(self._plain_source, shown))
            ),
            how=how,
            note=note,
            identifier=identifier,
            tainted=tainted,
        )

    def _plain_source(self, hit: Hit) -> Source:
        """The source that a place is; the same one each time it is used."""
        key = (id(hit.passage), id(hit.node))
        found = self.sources.get(key)
        if found is None:
            found = self.sources[key] = _source(hit)
        return found

    def _looks_like_its_kind(self, name: str, value: Any) -> bool:
        """Whether a value has the shape of one of those seen under its name, and that is a code."""
        if not isinstance(value, str) or " " in value.strip() or is_reserved(value):
            return False
        coded = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
        if not coded and not is_named_identifier(name):
            return False
        if self.derivation.is_moment(value):
            return False
        if self.shapes is None:
            self.shapes = _shapes(self.seen.passages)
        known = self.shapes.get(name) or self.shapes.get(f"{name}s") or set()
        return shape(value) in known


def _shapes(passages: list[Passage]) -> dict[str, set[str]]:
    """The shapes of the lone words that results hold under each name."""
    found: dict[str, set[str]] = {}
    for passage in passages:
        if passage.kind != "returned":
            continue
        for text, node in passage.content.texts:
            if node is not None and len(text) < _LONGEST_CODE and " " not in text:
                name = next((key for key in reversed(keys_of(node)) if isinstance(key, str)), None)
                if name is not None:
                    found.setdefault(name, set()).add(shape(text))
    return found


def _rank(hit: Hit) -> int:
    return hit.passage.rank


def _node(path: tuple[Any, ...]) -> Node:
    node: Node = None
    for key in path:
        node = (node, key)
    return node


def _source(hit: Hit, value: Any = None) -> Source:
    passage = hit.passage
    return Source(
        passage.kind, passage.label, passage.step, passage.call, hit.path, value, passage.trusted
    )
