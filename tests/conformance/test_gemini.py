"""Gemini contents against the canonical traces, in camel case with ids and in snake case without."""

from passhat.recordings.gemini import adapter
from passhat.testing import AdapterConformance, chat_samples


class Form:
    call, response, inline, answers_as = "functionCall", "functionResponse", "inlineData", "user"
    with_ids = True

    def user(self, text, picture):
        image = [{self.inline: {"mimeType": "image/png", "data": "AAAA"}}] if picture else []
        return [{"role": "user", "parts": [{"text": text}, *image]}]

    def says(self, text):
        return [{"role": "model", "parts": [{"text": text}]}]

    def asks(self, calls):
        parts = [
            {self.call: {**self.known(call), "args": call.args_error or call.args}}
            for call in calls
        ]
        return [{"role": "model", "parts": parts}]

    def gives(self, calls):
        parts = [
            {self.response: {**self.known(call), "response": response(call)}} for call in calls
        ]
        return [{"role": self.answers_as, "parts": parts}]

    def known(self, call):
        return {"id": call.id, "name": call.name} if self.with_ids else {"name": call.name}


class SnakeForm(Form):
    call, response, inline = "function_call", "function_response", "inline_data"
    answers_as, with_ids = "function", False


def response(call):
    if call.error is not None:
        return {"error": call.error}
    return call.result if isinstance(call.result, dict) else {"result": call.result}


CAMEL = {name: {"contents": contents} for name, contents in chat_samples(Form()).items()}
SNAKE = chat_samples(SnakeForm())
EXCHANGES = {
    name: {
        "request": {"contents": contents[:-1]},
        "response": {"candidates": [{"content": {"parts": contents[-1]["parts"]}}]},
    }
    if contents[-1]["role"] == "model"
    else {"contents": contents}
    for name, contents in SNAKE.items()
}
CANNOT = {
    "pending_call": "contents have no interrupts",
    "approved_call": "contents have no interrupts",
    "nested_agent": "contents have no calls inside calls",
}
BROKEN = {"contents": [{"role": "model", "parts": ["abracadabra"]}]}
BROKEN_EXCHANGE = {"response": {"candidates": [{"content": {"parts": [5]}}]}}


class TestCamelCase(AdapterConformance):
    no_suites = "messages record attempts, and expect nothing"
    adapter = adapter
    samples = CAMEL
    cannot_express = CANNOT
    broken = BROKEN


class TestSnakeCase(AdapterConformance):
    no_suites = "messages record attempts, and expect nothing"
    adapter = adapter
    samples = SNAKE
    cannot_express = CANNOT
    broken = BROKEN


class TestExchanges(AdapterConformance):
    no_suites = "messages record attempts, and expect nothing"
    adapter = adapter
    samples = EXCHANGES
    cannot_express = CANNOT
    broken = BROKEN_EXCHANGE
