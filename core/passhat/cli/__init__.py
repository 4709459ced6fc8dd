"""The command line: `passhat`."""

from __future__ import annotations

import errno
import sys

_MOST_FAULTS = 10
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def main() -> None:
    """Runs the command that the arguments name, and exits with its code.

    Codes: 0 done, 1 rejected (only with `--fail`), 2 wrong usage or input, or nothing could be
    read, 3 some runs could not be judged.
    """
    from passhat.cli.app import app
    from passhat.cli.terminal import hush, prepare, say
    from passhat.errors import PasshatError, PolicyError, SuiteError

    prepare()
    try:
        app(prog_name="passhat")
    except SuiteError as error:
        for fault in error.faults[:_MOST_FAULTS]:
            say(str(fault))
        if (more := len(error.faults) - _MOST_FAULTS) > 0:
            say(f"and {more} more faults, which `passhat validate` tells")
        sys.exit(2)
    except PolicyError as error:
        for fault in error.faults:
            say(str(fault))
        sys.exit(2)
    except PasshatError as error:
        say(str(error))
        sys.exit(2)
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        hush()
        say(f"the output cannot be written: {error.strerror}")
        sys.exit(2)
