"""The reader passes the tests that every adapter passes."""

from agentlog import adapter, asked, came

from passhat.testing import AdapterConformance, chat_samples


class Log:
    """How an agent log records each part of a chat; passhat makes the samples of it."""

    def user(self, text, picture):
        return [{"user": text}]

    def says(self, text):
        return [{"agent": text}]

    def asks(self, calls):
        return [{"agent": "", "calls": [asked(call) for call in calls]}]

    def gives(self, calls):
        return [came(call) for call in calls]


SAMPLES = {name: {"log": log} for name, log in chat_samples(Log()).items()}
CANNOT_EXPRESS = {
    "pending_call": "a log has no interrupts",
    "approved_call": "a log has no interrupts",
    "nested_agent": "a log has no calls inside calls",
}
CANNOT_CARRY = {"Message.content": "a log keeps text alone"}
BROKEN = {"log": [{"system": "reboot"}]}


class TestAgentLog(AdapterConformance):
    adapter = adapter
    samples = SAMPLES
    cannot_express = CANNOT_EXPRESS
    cannot_carry = CANNOT_CARRY
    broken = BROKEN
