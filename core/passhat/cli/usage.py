"""How the commands tell their arguments: by the words that their help uses, without Python's types."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand

_BRACES = str.maketrans("", "", "{}")


class Command(TyperCommand):
    """A command whose arguments are told as `FILE`, where typer says `{FILE} <list[str]>`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments, read; what is wrong with one is told in words of ours."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words of the usage line."""
        return [piece.translate(_BRACES) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes what each argument and each option is for."""
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            params = [param for param in self.get_params(ctx) if param.param_type_name == kind]
            rows = [record for param in params if (record := param.get_help_record(ctx))]
            if kind == "argument":
                rows = [(name.partition(" <")[0], words) for name, words in rows]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
