"""LangChain messages against the canonical traces, in the three shapes they are written in."""

import json

from passhat.recordings.langchain import adapter
from passhat.testing import AdapterConformance, chat_samples

CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}


class Flat:
    def message(self, kind, content, **more):
        return {"type": kind, "content": content, "additional_kwargs": {}, "id": None, **more}

    def user(self, text, picture):
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        return [self.message("human", [{"type": "text", "text": text}, image] if picture else text)]

    def says(self, text):
        return [self.message("ai", text, tool_calls=[], invalid_tool_calls=[])]

    def asks(self, calls):
        good = [
            {"type": "tool_call", "id": call.id, "name": call.name, "args": call.args}
            for call in calls
            if call.args_error is None
        ]
        bad = [
            {"type": "invalid_tool_call", "id": call.id, "name": call.name, "args": call.args_error}
            for call in calls
            if call.args_error is not None
        ]
        return [self.message("ai", "", tool_calls=good, invalid_tool_calls=bad)]

    def gives(self, calls):
        return [
            self.message(
                "tool",
                said(call),
                name=call.name,
                tool_call_id=call.id,
                status="success" if call.error is None else "error",
            )
            for call in calls
        ]


class TypeAndData(Flat):
    def message(self, kind, content, **more):
        return {"type": kind, "data": super().message(kind, content, **more)}


class Serialised(Flat):
    def message(self, kind, content, **more):
        return {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", CLASSES[kind]],
            "kwargs": super().message(kind, content, **more),
        }


def said(call):
    if call.error is not None:
        return call.error
    return call.result if isinstance(call.result, str) else json.dumps(call.result)


FLAT = {name: {"messages": messages} for name, messages in chat_samples(Flat()).items()}
TYPE_AND_DATA = chat_samples(TypeAndData())
SERIALISED = {name: {"messages": messages} for name, messages in chat_samples(Serialised()).items()}
CANNOT = {
    "pending_call": "messages have no interrupts: those are in the graph's state",
    "approved_call": "messages have no interrupts: those are in the graph's state",
    "nested_agent": "messages have no calls inside calls",
}
BROKEN = {"messages": [{"type": "ai", "content": "", "tool_calls": "none"}]}


class TestFlat(AdapterConformance):
    no_suites = "messages record attempts, and expect nothing"
    adapter = adapter
    samples = FLAT
    cannot_express = CANNOT
    broken = BROKEN


class TestTypeAndData(AdapterConformance):
    no_suites = "messages record attempts, and expect nothing"
    adapter = adapter
    samples = TYPE_AND_DATA
    cannot_express = CANNOT
    broken = BROKEN


class TestSerialised(AdapterConformance):
    no_suites = "messages record attempts, and expect nothing"
    adapter = adapter
    samples = SERIALISED
    cannot_express = CANNOT
    broken = BROKEN
