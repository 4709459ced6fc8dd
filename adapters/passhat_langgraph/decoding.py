"""What checkpoints store, decoded with tagged types: nothing that a blob names is ever imported.

LangGraph writes msgpack whose extension types name a class and how to make it again. Here a value of
a plain kind (a time, a set, an id) becomes its JSON, a message becomes its fields, and any other
object becomes its fields beside `__type__`, the name of its class.
"""

from __future__ import annotations

import math
from base64 import b64encode
from typing import Any

import msgspec

from passhat.errors import InputError
from passhat.jsontext.decoding import MAX_DEPTH

TYPE = "__type__"
"""The key beside an object's fields that names its class."""

_PLAIN = frozenset(
    {"builtins", "collections", "uuid", "decimal", "ipaddress", "zoneinfo", "datetime", "pathlib"}
)
_ONE, _MANY, _FIELDS, _METHOD, _PYDANTIC_1, _PYDANTIC_2, _NUMPY, _DELTA = range(8)
_KEPT_WORDS = {
    "pickle": "it is pickled; unpickling would run code. Write checkpoints without pickle_fallback",
    "aes": "it is encrypted; give the checkpointer itself to `to_traces`, which has the key",
}


def decoded(kind: str | None, blob: bytes | None) -> Any:
    """The JSON value of a stored blob.

    Args:
        kind: How it is stored: `msgpack`, `json`, `null`, `bytes`.
        blob: What is stored.

    Raises:
        InputError: It is pickled, encrypted or broken.

    >>> decoded("null", b""), decoded("json", b'{"a": 1}'), decoded("msgpack", bytes([0x92, 1, 0xC3]))
    (None, {'a': 1}, [1, True])
    """
    if kind in (None, "null"):
        return None
    if not isinstance(kind, str) or not isinstance(blob, bytes | bytearray | memoryview | None):
        raise InputError("it is broken: a kind and bytes are stored, and these are neither")
    data = bytes(blob or b"")
    if kind == "msgpack":
        return _msgpack(data)
    if kind == "json":
        try:
            return _as_json(msgspec.json.decode(data))
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise InputError(f"it is no JSON: {error}") from None
    if kind in ("bytes", "bytearray"):
        return _base64(data)
    said = next((why for word, why in _KEPT_WORDS.items() if word in kind), None)
    raise InputError(said or f"it is stored as {kind[:40]!r}, which is not known here")


def _msgpack(data: bytes) -> Any:
    try:
        return _as_json(_decoder.decode(data))
    except (
        msgspec.DecodeError,
        UnicodeDecodeError,
        RecursionError,
        ValueError,
        TypeError,
    ) as error:
        raise InputError(f"it is broken: {error}") from None


def _extension(code: int, data: memoryview) -> Any:
    """The value of an extension type; a hook of msgspec, so it never sees a class."""
    if code == _DELTA:
        return {TYPE: DELTA_SNAPSHOT, "value": _decoder.decode(data)}
    if not _ONE <= code <= _NUMPY:
        return {TYPE: f"extension {code}", "base64": _base64(bytes(data))}
    held = _decoder.decode(data)
    if not isinstance(held, list) or len(held) < 3:
        return {TYPE: f"extension {code}", "value": held}
    if code == _NUMPY:
        return {TYPE: "numpy.ndarray", "dtype": held[0], "shape": held[1]}
    module, name, payload = str(held[0]), str(held[1]), held[2]
    return _object(f"{module}.{name}", module.partition(".")[0], payload, code)


def _object(name: str, package: str, payload: Any, code: int) -> Any:
    if name == SEND and isinstance(payload, list) and len(payload) >= 2:
        return {TYPE: SEND, "node": payload[0], "arg": payload[1]}
    if isinstance(payload, dict) and name.startswith("langchain_core.messages."):
        return payload
    if package in _PLAIN:
        return "/".join(map(str, payload)) if package == "pathlib" else payload
    if code in (_ONE, _METHOD):
        return payload
    return {TYPE: name, **payload} if isinstance(payload, dict) else {TYPE: name, "args": payload}


SEND = "langgraph.types.Send"
DELTA_SNAPSHOT = "_DeltaSnapshot"
_decoder = msgspec.msgpack.Decoder(ext_hook=_extension)


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def _as_json(value: Any) -> Any:
    """The decoded value with keys that are texts and leaves that JSON has; changed in place.

    Raises:
        InputError: It nests too deep.
    """
    root = [value]
    todo: list[tuple[Any, Any, Any, int]] = [(root, 0, value, 0)]
    while todo:
        owner, key, item, depth = todo.pop()
        kind = type(item)
        if kind in (str, bool, int, type(None)):
            continue
        if depth > MAX_DEPTH:
            raise InputError(f"it nests more than {MAX_DEPTH} deep")
        if kind is float:
            if not math.isfinite(item):
                name = "NaN" if item != item else "Infinity" if item > 0 else "-Infinity"
                owner[key] = {"$float": name}
        elif kind is dict:
            if not all(type(name) is str for name in item):
                item = owner[key] = {_key(name): inner for name, inner in item.items()}
            todo += [(item, name, inner, depth + 1) for name, inner in item.items()]
        elif kind is list:
            todo += [(item, at, inner, depth + 1) for at, inner in enumerate(item)]
        elif kind in (tuple, set, frozenset):
            row = owner[key] = list(item)
            todo += [(row, at, inner, depth + 1) for at, inner in enumerate(row)]
        elif isinstance(item, bytes | bytearray | memoryview):
            owner[key] = _base64(bytes(item))
        else:
            owner[key] = item.isoformat() if hasattr(item, "isoformat") else str(item)
    return root[0]


def _key(name: Any) -> str:
    return name if isinstance(name, str) else msgspec.json.encode(name).decode()
