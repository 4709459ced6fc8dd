"""The command line: `passhat`."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command that the arguments name, and exits with its code.

    Codes: 0 done, 1 rejected (only with `--fail`), 2 wrong usage or input, or nothing could be
    read, 3 some runs could not be judged.
    """
    from passhat.cli.app import app
    from passhat.cli.terminal import prepare, say
    from passhat.errors import PasshatError

    prepare()
    try:
        app(prog_name="passhat")
    except PasshatError as error:
        say(str(error))
        sys.exit(2)
