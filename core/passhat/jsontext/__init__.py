"""Reading and writing JSON and JSONL: fast where the text is clean, patient where it is not.

`decode` turns bytes into a value, `items` and `lines` walk a file, `replacing` writes one. Whatever
is wrong with a text (a broken encoding, half a character, a cut, nesting without end) is one
`InputError` that names the file, the line and the column.
"""

from passhat.jsontext.decoding import (
    MAX_DEPTH,
    decode,
    decode_text_result,
    exact_copy,
    jsonable,
    too_deep,
)
from passhat.jsontext.files import (
    file_name,
    head_of,
    lines,
    opened,
    read_bytes,
    refuse_other_encodings,
    replacing,
)
from passhat.jsontext.prefix import first_values
from passhat.jsontext.rawitems import Item, RawItem, items, raw_items

__all__ = [
    "MAX_DEPTH",
    "Item",
    "RawItem",
    "decode",
    "decode_text_result",
    "exact_copy",
    "file_name",
    "first_values",
    "head_of",
    "items",
    "jsonable",
    "lines",
    "opened",
    "raw_items",
    "read_bytes",
    "refuse_other_encodings",
    "replacing",
    "too_deep",
]
