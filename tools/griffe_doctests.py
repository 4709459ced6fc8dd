"""Shows the examples of docstrings as code where they stand, without a heading above them."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"^>>> .*(?:\n.*\S.*)*", flags=re.MULTILINE)


class Doctests(Extension):
    """Puts a fence around each `>>>` paragraph of a docstring."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrites the docstring of one object of the sources."""
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
