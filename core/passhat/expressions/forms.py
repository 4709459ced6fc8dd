"""The form of an expression: what is done to what, as far as its cost goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from passhat.expressions.looking import MACROS, Token, tokens_of


@dataclass(frozen=True, slots=True)
class Name:
    """A name."""

    name: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, a text or a word, as it is written."""

    length: int
    written: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Select:
    """A part of a value: by a key that is written, or by one that is reckoned."""

    of: Form
    key: str | None = None
    index: Form | None = None


@dataclass(frozen=True, slots=True)
class Macro:
    """A list that is gone through: by which macro, the name of an item, what is done with each."""

    macro: str
    of: Form
    name: str
    parts: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """A list or a mapping that is written out."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function, of what it is called on and its arguments."""

    parts: tuple[Form, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Sums and products."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """Comparisons; whether they only ask if two are the same, as may be asked of anything."""

    parts: tuple[Form, ...]
    of_any: bool = False


@dataclass(frozen=True, slots=True)
class Logic:
    """What is true or false by its parts."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A condition, what is given if it holds, and what is given if not."""

    parts: tuple[Form, ...]


Form: TypeAlias = (
    Name | Literal | Select | Macro | Made | Call | Arithmetic | Relation | Logic | Choice
)

_SAMENESS = frozenset({"==", "!="})
_RELATIONS = frozenset({*_SAMENESS, "<", "<=", ">", ">=", "in"})
_SUMS = frozenset({"+", "-", "*", "/", "%"})
_PAIRS = frozenset({"==", "!=", "<=", ">=", "&&", "||"})
_WORDS = frozenset({"true", "false", "null"})
_END: Token = ("end", "")


@lru_cache(maxsize=1024)
def form_of(text: str) -> Form:
    """The form of an expression that compiles, and whose brackets are not nested too deep.

    >>> form_of("a.b == 1")
    Relation(parts=(Select(of=Name(name='a'), key='b', index=None), Literal(length=1)), of_any=True)
    """
    return _Reader(tokens_of(text)).choice()


def equated(text: str) -> frozenset[tuple[str, ...]]:
    """The paths that an expression holds against another value by == or !=, null among them.

    >>> sorted(equated("a.b == null || (c['d'] != 1 && a.e > 2)"))
    [('a', 'b'), ('c', 'd')]
    """
    found: set[tuple[str, ...]] = set()
    todo: list[Form | None] = [form_of(text)]
    while todo:
        form = todo.pop()
        if isinstance(form, Relation) and form.of_any:
            found.update(path for part in form.parts if (path := _path(part)))
        if isinstance(form, Select):
            todo += [form.of, form.index]
        elif isinstance(form, Macro):
            todo += [form.of, *form.parts]
        elif form is not None and not isinstance(form, Name | Literal):
            todo += form.parts
    return frozenset(found)


def _path(form: Form | None) -> tuple[str, ...]:
    """The name, and the keys that are written behind it; empty where there is anything else."""
    keys: list[str] = []
    while isinstance(form, Select) and form.key is not None:
        keys.append(form.key)
        form = form.of
    return (form.name, *reversed(keys)) if isinstance(form, Name) else ()


class _Reader:
    """Reads tokens by the precedence of CEL's operators."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def _ahead(self) -> Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else _END

    def _operator(self) -> str:
        """The operator ahead, of one sign or of two."""
        kind, text = self._ahead()
        after = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else _END
        if kind == "sign" and after[0] == "sign" and text + after[1] in _PAIRS:
            return text + after[1]
        return text if kind in ("sign", "name") else ""

    def _take(self, operator: str) -> None:
        self.at += 1 if operator == "in" else len(operator)

    def choice(self) -> Form:
        parts: list[Form] = [self._chain(Logic, frozenset({"&&", "||"}))]
        while self._operator() == "?":  # Each is the last part of the one before it.
            self.at += 1
            parts.append(self.choice())
            self.at += 1
            parts.append(self._chain(Logic, frozenset({"&&", "||"})))
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _chain(
        self, kind: type[Logic] | type[Relation] | type[Arithmetic], operators: frozenset[str]
    ) -> Form:
        """Operands of one precedence, with whatever binds closer in them."""
        parts = [self._operand(kind)]
        signs: set[str] = set()
        while (operator := self._operator()) in operators:
            self._take(operator)
            signs.add(operator)
            parts.append(self._operand(kind))
        if not signs:
            return parts[0]
        return (
            Relation(tuple(parts), signs <= _SAMENESS) if kind is Relation else kind(tuple(parts))
        )

    def _operand(self, kind: type[Logic] | type[Relation] | type[Arithmetic]) -> Form:
        if kind is Logic:
            return self._chain(Relation, _RELATIONS)
        return self._chain(Arithmetic, _SUMS) if kind is Relation else self._unary()

    def _unary(self) -> Form:
        while self._operator() in ("!", "-"):
            self.at += 1
        form = self._primary()
        while True:
            text = self._operator()
            if text == ".":
                name = self.tokens[self.at + 1][1]
                self.at += 2
                form = self._called(form, name) if self._operator() == "(" else Select(form, name)
            elif text == "[":
                self.at += 1
                kind, written = self._ahead()
                index = self.choice()
                self.at += 1
                plain = isinstance(index, Literal) and kind == "text" and "\\" not in written
                form = Select(form, written[1:-1] if plain else None, None if plain else index)
            else:
                return form

    def _called(self, of: Form, name: str) -> Form:
        self.at += 1
        if name not in MACROS:
            return Call((of, *self._listed(")")), name)
        item = self._ahead()[1]
        parts = self._listed(")")
        return Macro(name, of, item, tuple(parts[1:]))

    def _listed(self, end: str) -> list[Form]:
        parts: list[Form] = []
        while self._operator() != end and self._ahead() != _END:
            parts.append(self.choice())
            if self._operator() in (",", ":"):
                self.at += 1
        self.at += 1
        return parts

    def _primary(self) -> Form:
        kind, text = self._ahead()
        self.at += 1
        if kind == "name" and text not in _WORDS:
            if self._operator() == "(":
                self.at += 1
                return Call(tuple(self._listed(")")), text)
            return Name(text)
        if kind == "sign" and text == "(":
            form = self.choice()
            self.at += 1
            return form
        if kind == "sign" and text in ("[", "{"):
            return Made(tuple(self._listed("]" if text == "[" else "}")))
        return Literal(len(text), text)
