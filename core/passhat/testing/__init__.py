"""For tests: traces in a few words, the canonical traces, and the class every adapter must pass.

`trace_of` writes a trace as a conversation reads. `AdapterConformance` is a pytest class for the
authors of adapters: give it native samples of the canonical traces, and it tests that each becomes
that trace, that nothing is shared, lost or changed on the way, that suites come back, and that files
are told apart. Where
recordings are chats, `chat_samples` makes the samples of four small functions.
"""

from passhat.testing.building import (
    answered,
    call,
    calls,
    interrupt,
    result,
    says,
    system,
    trace_of,
    user,
)
from passhat.testing.canonical import CANONICAL, Canonical, essence
from passhat.testing.canonical_cases import CANONICAL_CASES, CANONICAL_SUITE
from passhat.testing.conformance import AdapterConformance
from passhat.testing.samples import ChatForm, chat_samples

__all__ = [
    "CANONICAL",
    "CANONICAL_CASES",
    "CANONICAL_SUITE",
    "AdapterConformance",
    "Canonical",
    "ChatForm",
    "answered",
    "call",
    "calls",
    "chat_samples",
    "essence",
    "interrupt",
    "result",
    "says",
    "system",
    "trace_of",
    "user",
]
