"""Whose fault an exception is, and how long a server asked to wait."""

import errno
import socket
import ssl
import urllib.error

import pytest

from passhat.errors import UsageError
from passhat.failing import FailureRules, outcome_of, outcome_of_text, retry_after

INFRASTRUCTURE, AGENT, LIMIT = "infrastructure_error", "agent_error", "limit"


def named(name, base=Exception, **fields):
    return type(name, (base,), fields)


def caused(error, cause):
    error.__cause__ = cause
    return error


def handled(error, context):
    error.__context__ = context
    return error


class Response:
    def __init__(self, status_code=429, **headers):
        self.status_code = status_code
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


RateLimitError = named("RateLimitError")


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (ConnectionRefusedError(), INFRASTRUCTURE),
        (BrokenPipeError(), INFRASTRUCTURE),
        (OSError(errno.ENETUNREACH, "no route"), INFRASTRUCTURE),
        (OSError(errno.ENOENT, "no file"), AGENT),
        (TimeoutError(errno.ETIMEDOUT, "connect"), INFRASTRUCTURE),
        (socket.gaierror(), INFRASTRUCTURE),
        (ssl.SSLEOFError(), INFRASTRUCTURE),
        (TimeoutError(), LIMIT),
        (named("GraphRecursionError", RecursionError)(), LIMIT),
        (named("LlmCallsLimitExceededError")(), LIMIT),
        (MemoryError(), LIMIT),
        (named("MyRateLimit", RateLimitError)("slow down"), INFRASTRUCTURE),
        (named("Odd", status_code=503)(), INFRASTRUCTURE),
        (named("Odd", status_code=404)(), AGENT),
        (named("Odd", response=Response(500))(), INFRASTRUCTURE),
        (named("APIError", code="insufficient_quota")(), INFRASTRUCTURE),
        (urllib.error.HTTPError("u", 502, "bad", None, None), INFRASTRUCTURE),
        (urllib.error.HTTPError("u", 404, "bad", None, None), AGENT),
        (SystemExit(500), AGENT),
        (KeyError("429"), AGENT),
        (ValueError("500 items were asked for"), AGENT),
        (caused(RuntimeError("node failed"), RateLimitError()), INFRASTRUCTURE),
        (handled(KeyError("in the handler"), ConnectionError()), AGENT),
        (ExceptionGroup("g", [ConnectionError(), RateLimitError()]), INFRASTRUCTURE),
        (ExceptionGroup("g", [ConnectionError(), KeyError()]), AGENT),
        (named("Planted", ConnectionError, passhat_injected=True)(), AGENT),
        (caused(RateLimitError(), named("P", Exception, passhat_injected=True)()), AGENT),
    ],
)
def test_whose_fault_it_is(error, outcome):
    assert outcome_of(error) == outcome


def test_a_ring_of_causes_ends():
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert outcome_of(first) == AGENT


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("RateLimitError('Error code: 429 - slow down')", INFRASTRUCTURE),
        ("openai.InternalServerError: down", INFRASTRUCTURE),
        ("ClientError: 429 RESOURCE_EXHAUSTED. {}", INFRASTRUCTURE),
        ("ValueError('order 429 is unknown')", AGENT),
        ("ValueError('500 orders')", AGENT),
        ("GraphRecursionError('25')", LIMIT),
        ("RateLimitError('cut off", INFRASTRUCTURE),
        ("", AGENT),
    ],
)
def test_errors_in_words(text, outcome):
    assert outcome_of_text(text) == outcome


def test_what_is_declared_comes_first_and_the_agents_before_all():
    rules = FailureRules(infrastructure=["^Warehouse", LookupError], agent=[r"slow down"])
    assert rules.outcome_of(named("WarehouseDown")()) == INFRASTRUCTURE
    assert rules.outcome_of(caused(RuntimeError(), KeyError())) == INFRASTRUCTURE
    assert rules.outcome_of(RateLimitError("slow down")) == AGENT
    assert rules.outcome_of_text("WarehouseDown: x", "agent_error") == INFRASTRUCTURE
    assert rules.outcome_of_text("Other: x", "limit") == LIMIT


@pytest.mark.parametrize("wrong", ["(", 7, str])
def test_what_cannot_be_declared_is_told(wrong):
    with pytest.raises(UsageError):
        FailureRules(infrastructure=[wrong])


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after_ms": "250"}, 0.25),
        ({"retry_after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 90.0),
        ({"retry_after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": "-3"}, None),
    ],
)
def test_a_servers_wish_to_be_left_alone(headers, seconds):
    error = named("Refused", response=Response(**headers))()
    assert retry_after(caused(RuntimeError(), error), now=10.0) == seconds


def test_a_wish_in_words():
    assert retry_after(named("ClientError", details={"retryDelay": "30s"})("429"), now=0) == 30.0
