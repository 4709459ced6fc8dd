"""What a tool of a sandbox raises: injected faults, and what a tool says that cannot run a call.

They bear the names that a model sees in the real world: an agent told `TimeoutError` must not see
that it is being tested. All are marked as planted, so that an agent which does not cope with one
has failed, whatever its class would say in a real run.
"""

from __future__ import annotations

import builtins

from passhat.failing import INJECTED
from passhat.surroundings import Fault


class ToolError(Exception):
    """What a call of a sandbox's tool raises that the tool itself did not."""


setattr(ToolError, INJECTED, True)


class TimeoutError(ToolError, builtins.TimeoutError):
    """A tool that took too long."""


class ConnectionResetError(ToolError, builtins.ConnectionResetError):
    """A connection that broke."""


class PermissionError(ToolError, builtins.PermissionError):
    """A tool that the agent may not use."""


class ValidationError(ToolError, ValueError):
    """Arguments that the tool's schema refuses."""


class UnknownToolError(ToolError, KeyError):
    """A call of a tool that does not exist."""

    def __str__(self) -> str:
        return str(self.args[0])


class DeclinedError(ToolError):
    """A call that somebody did not allow."""


class HeldUpError(ToolError):
    """A call that other calls of the trial did not let through."""


class NotRecordedError(ToolError, LookupError):
    """A call that a cassette has no answer to."""


class HTTPStatusError(ToolError):
    """An answer of a server with a status of an error.

    Attributes:
        status_code: The status.
        headers: `Retry-After`, where it asks to wait.
        retry_after: The seconds it asks to wait; None where it asks nothing.
    """

    def __init__(self, message: str, status_code: int, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.retry_after = retry_after
        self.headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.status_code, self.retry_after)


def raised_by(fault: Fault) -> ToolError:
    """What a call raises that a fault makes fail.

    >>> print(raised_by(Fault("refund", 429, retry_after=2)))
    429 Too Many Requests; retry after 2 s
    """
    wait = "" if fault.retry_after is None else f"; retry after {fault.retry_after:g} s"
    kind = fault.kind
    if kind == "rate_limit":
        return HTTPStatusError(
            fault.message or f"429 Too Many Requests{wait}", 429, fault.retry_after
        )
    if kind == "server_error":
        return HTTPStatusError(
            fault.message or f"500 Internal Server Error{wait}", 500, fault.retry_after
        )
    if kind == "timeout":
        after = "" if fault.seconds is None else f" after {fault.seconds:g} s"
        return TimeoutError(fault.message or f"the request timed out{after}")
    if kind == "connection_reset":
        return ConnectionResetError(fault.message or "connection reset by peer")
    if kind == "permission_denied":
        return PermissionError(fault.message or "403 Forbidden: permission denied")
    return ValidationError(
        fault.message or "422 Unprocessable Entity: the request does not match the tool's schema"
    )
