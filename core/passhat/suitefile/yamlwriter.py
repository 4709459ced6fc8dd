"""YAML that every reader takes for the same: text is quoted wherever some reader would see more in it."""

from __future__ import annotations

import re
from typing import Any

import yaml

from passhat.suitefile.yamlreader import NUMBER

# Line breaks to YAML 1.1 alone, which PyYAML writes unescaped in single quotes.
_ODD_BREAK = re.compile("[\r\x85\u2028\u2029]")


class _Dumper(yaml.SafeDumper):
    """Writes values out in full, long texts as blocks, lists under their keys indented."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, indentless=False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = '"' if _ODD_BREAK.search(text) else "|" if "\n" in text.strip() else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
# What our reader takes for a number is quoted where it is text, even where PyYAML would not see one.
_Dumper.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(rf"(?:{NUMBER.pattern})\Z"), list("-.0123456789")
)


def yaml_text(value: dict[str, Any]) -> str:
    """A JSON value as YAML, in the order of its keys.

    >>> print(yaml_text({"a": ["no", "1e3", 1.5, None]}), end="")
    a:
      - 'no'
      - '1e3'
      - 1.5
      - null
    """
    return yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100, indent=2
    )
