"""The commands, and what `passhat` says alone."""

from __future__ import annotations

from typing import Annotated

import typer

from passhat.cli import adapters, demo, explain, schema, score, validate
from passhat.cli.terminal import emit

OVERVIEW = """\
passhat tells how reliable an agent is from its recorded runs: how often it passes,
and how often it passes k times in a row (pass^k).

  passhat demo                                  see it at work, on runs that come with it
  passhat score runs.jsonl --success reward     score runs by a reward recorded with them
  passhat score runs.jsonl --suite suite.yaml   score runs by what their cases expect
  passhat validate suite.yaml --advice          check a suite, and see what it lacks
  passhat explain superset                      what a match mode means, and where it surprises
  passhat adapters                              what can be read
  passhat schema suite                          the JSON Schema of a file format

passhat COMMAND --help tells the options of each.
"""

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from passhat import __version__

        emit(f"passhat {__version__}\n")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def overview(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """How reliable an agent is, from its recorded runs."""
    if context.invoked_subcommand is None:
        emit(OVERVIEW)


for _command in (
    score.score,
    explain.explain,
    validate.validate,
    schema.schema,
    adapters.adapters,
    demo.demo,
):
    app.command()(_command)
