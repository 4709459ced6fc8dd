"""`passhat adk`: what the command line has for ADK alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from passhat.errors import Place, UsageError
from passhat.jsontext import replacing
from passhat_adk.config import read_config, with_case_metric
from passhat_adk.native import CONFIG_FILE

SERVICES_FILE = "services.py"
SERVICES = '''"""Loaded by `adk web` when it starts."""

import passhat_adk

passhat_adk.register()
'''

app = typer.Typer(
    help="Google ADK: make passhat_case a criterion.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def adk() -> None:
    """Google ADK: make passhat_case a criterion."""


@app.command()
def init(
    agent: Annotated[str, typer.Argument(metavar="AGENT_DIR", help="The agent's folder.")],
    services: Annotated[
        bool,
        typer.Option(
            "--services", help="Write services.py beside the agents too, which adk web loads."
        ),
    ] = False,
) -> None:
    """Make passhat_case a criterion of the agent's test_config.json; what is there stays."""
    for line in prepared(Path(agent), services=services):
        typer.echo(line)


def prepared(agent: Path, *, services: bool = False) -> list[str]:
    """Writes what makes `passhat_case` a criterion of an agent, and says what was written.

    Args:
        agent: The agent's folder.
        services: Whether to write the module for `adk web` too, into the folder of the agents.

    Raises:
        UsageError: The folder is not there, or what would be written is there and says otherwise.
        InputError: A `test_config.json` is there and cannot be read.
    """
    if not agent.is_dir():
        raise UsageError("there is no such folder; name the agent's", Place(str(agent)))
    told = []
    path = agent / CONFIG_FILE
    before = read_config(path) if path.is_file() else None
    after = with_case_metric(before)
    if after == before:
        told.append(f"{path}: passhat_case is a criterion already")
    else:
        with replacing(path) as file:
            file.write(msgspec.json.format(msgspec.json.encode(after), indent=2) + b"\n")
        told.append(f"{path}: passhat_case is a criterion now")
    if services:
        told.append(_services(agent.resolve().parent / SERVICES_FILE))
    return told


def _services(path: Path) -> str:
    if path.is_file():
        if "passhat_adk.register()" in path.read_text("utf-8"):
            return f"{path}: registers passhat's metrics already"
        raise UsageError(
            "it is there already; add `passhat_adk.register()` to it", Place(str(path))
        )
    with replacing(path) as file:
        file.write(SERVICES.encode())
    return f"{path}: registers passhat's metrics for adk web"
