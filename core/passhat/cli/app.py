"""The commands, and what `passhat` says alone."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from passhat.cli import (
    adapters,
    compare,
    convert,
    demo,
    diff,
    explain,
    gate,
    history,
    parity,
    plan,
    report,
    run,
    schema,
    score,
    validate,
)
from passhat.cli.terminal import emit
from passhat.cli.usage import Command

OVERVIEW = """\
passhat tells how reliable an agent is from its recorded runs:
how often it passes, and how often it passes k times in a row (pass^k).

  passhat demo                                 see it at work, on its own runs
  passhat score runs.jsonl --success reward    by a reward recorded with them
  passhat score runs.jsonl --suite suite.yaml  by what their cases expect
  passhat report results.jsonl -o page.html    what -o wrote, for people and CI
  passhat run suite.yaml --agent shop:agent    run an agent on it n times a case
  passhat compare old.jsonl new.jsonl          what differs between two runs
  passhat gate new.jsonl --baseline old.jsonl  accept them, or say why not
  passhat validate suite.yaml --advice         check a suite, see what it lacks
  passhat diff before/ after/                  what a run changed in its world
  passhat convert suite.yaml --to adk          write it in another world's form
  passhat parity suite.yaml runs.jsonl         one verdict in every framework?
  passhat explain superset                     what a match mode lets pass
  passhat adapters                             what can be read
  passhat schema suite                         a file format's JSON Schema

passhat COMMAND --help tells the options of each.
"""


class _Commands(TyperGroup):
    """Our commands, and those that an adapter brings under its own name: `passhat adk init`."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name; adapters are only loaded where we have none."""
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            return found
        from passhat.adapter import adapters

        brought = getattr(adapters().get(cmd_name), "commands", None)
        return typer.main.get_command(brought) if brought is not None else None


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version as installed

        emit(f"passhat {installed('passhat')}\n")
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


for _command, _short in (
    (score.score, "Score recorded runs: pass^k, the flaky cases, and why runs fail."),
    (report.report, "Report results as text, Markdown, JUnit XML, JSON, CSV or HTML."),
    (run.run, "Run an agent on a suite, several times a case."),
    (compare.compare, "Compare two runs of a suite, case by case."),
    (gate.gate, "Accept results, reject them, or say what would settle it."),
    (plan.plan, "Tell how many cases and trials a gate takes."),
    (history.history, "Show how kept runs moved: pass^k, checks, new flaky cases."),
    (diff.diff, "Tell what differs between two states."),
    (convert.convert, "Write suites and runs in another world's form, and tell what is kept."),
    (parity.parity, "Judge runs at every door, and tell who differs."),
    (explain.explain, "Tell what a match mode means, and where it surprises."),
    (validate.validate, "Check a suite, and see what it lacks."),
    (schema.schema, "Print the JSON Schema of a file format."),
    (adapters.adapters, "List what can be read."),
    (demo.demo, "See passhat at work, on runs that come with it."),
):
    app.command(cls=Command, short_help=_short)(_command)
