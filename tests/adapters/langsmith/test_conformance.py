"""The adapter passes what every adapter passes."""

from collections.abc import Callable
from typing import Any, ClassVar

from passhat.testing import AdapterConformance
from passhat_langsmith import from_trace
from passhat_langsmith.needs import need_langsmith
from passhat_langsmith.reader import adapter

Json = dict[str, Any]


class Recorder:
    """Runs as LangSmith records them: a root, and requests and tools inside it."""

    def __init__(self, thread: str | None = None) -> None:
        self.runs: list[Json] = []
        self.chat: list[Json] = []
        self._metadata = {} if thread is None else {"thread_id": thread}
        self.root: Json = {}

    def asked(self, *messages: Json, **inputs: Any) -> "Recorder":
        held = inputs or {"messages": list(messages)}
        self.root = self._run("chain", "agent", None, held, {"messages": self.chat})
        self.chat += messages
        return self

    def model(self, content: Any = "", *calls: Json, under: Json | None = None) -> Json:
        said = {"type": "ai", "content": content, "id": f"m{len(self.runs)}", **_split(calls)}
        heard = list(self.chat) if under is None else [human("Is A1 late?")]
        if under is None:
            self.chat.append(said)
        answer = {"generations": [[{"message": said}]]}
        return self._run("llm", "Scripted", under or self.root, {"messages": [heard]}, answer)

    def tool(self, id: str, name: str, gave: Any, under: Json | None = None, **args: Any) -> Json:
        run = self._run("tool", name, under or self.root, args, {"output": gave})
        run["extra"]["tool_call_id"] = id
        return run

    def failed(self, id: str, name: str, error: str, **args: Any) -> None:
        run = self.tool(id, name, None, **args)
        run |= {"error": f"{error}\n\nTraceback (most recent call last):\n ...", "outputs": {}}

    def answered(self, id: str, content: Any, status: str = "success") -> None:
        entry = {"type": "tool", "tool_call_id": id, "content": content, "status": status}
        self.chat.append(entry)

    def _run(self, kind: str, name: str, parent: Json | None, inputs: Json, outputs: Json) -> Json:
        number = len(self.runs)
        run = {
            "id": f"r{number}",
            "parent_run_id": parent and parent["id"],
            "trace_id": parent["trace_id"] if parent else f"r{number}",
            "dotted_order": f"{parent['dotted_order'] + '.' if parent else ''}{number:04d}",
            "name": name,
            "run_type": kind,
            "start_time": f"2026-01-01T00:00:{number:02d}",
            "end_time": f"2026-01-01T00:01:{number:02d}",
            "inputs": inputs,
            "outputs": outputs,
            "extra": {"metadata": dict(self._metadata)},
        }
        self.runs.append(run)
        return run


def _split(calls: tuple[Json, ...]) -> Json:
    return {
        "tool_calls": [one for one in calls if isinstance(one["args"], dict)],
        "invalid_tool_calls": [one for one in calls if not isinstance(one["args"], dict)],
    }


def human(content: Any) -> Json:
    return {"type": "human", "content": content}


def call(id: str, name: str, /, **args: Any) -> Json:
    return {"id": id, "name": name, "args": args, "type": "tool_call"}


LOOKUP = call("c1", "lookup_order", order_id="A1")
GREETING = "Grüße aus 東京 🙂 — e\u0301tat, שָׁלוֹם\u200d"


def plain_answer() -> list[Json]:
    told = Recorder().asked(human("What can you do?"))
    told.model("I look up orders and cancel them.")
    return told.runs


def parallel_calls() -> list[Json]:
    told = Recorder().asked(human("Where are orders A1 and A2?"))
    told.model("", LOOKUP, call("c2", "lookup_order", order_id="A2"))
    told.tool("c2", "lookup_order", {"status": "packed"}, order_id="A2")
    told.tool("c1", "lookup_order", {"status": "shipped"}, order_id="A1")
    told.answered("c1", '{"status": "shipped"}')
    told.answered("c2", '{"status": "packed"}')
    told.model("A1 has shipped, A2 is packed.")
    return told.runs


def failed_call() -> list[Json]:
    told = Recorder().asked(human("Cancel order A1."))
    told.model("", call("c1", "cancel_order", order_id="A1"))
    told.failed("c1", "cancel_order", "order A1 has shipped", order_id="A1")
    told.answered("c1", "Error: order A1 has shipped", "error")
    told.model("It has shipped, so I cannot cancel it.")
    return told.runs


def retry() -> list[Json]:
    told = Recorder().asked(human("Where is order A1?"))
    told.model("", LOOKUP)
    told.failed("c1", "lookup_order", "timed out", order_id="A1")
    told.answered("c1", "timed out", "error")
    told.model("", {**LOOKUP, "id": "c2"})
    told.tool("c2", "lookup_order", {"status": "shipped"}, order_id="A1")
    told.model("It has shipped.")
    return told.runs


def unknown_tool() -> list[Json]:
    told = Recorder().asked(human("Send order A1 faster."))
    told.model("", call("c1", "teleport_order", order_id="A1"))
    told.answered("c1", "there is no tool teleport_order", "error")
    told.model("I cannot do that.")
    return told.runs


def unparsable_arguments() -> list[Json]:
    told = Recorder().asked(human("Where is order A1?"))
    told.model("", {**LOOKUP, "args": '{"order_id": "A1'})
    told.answered("c1", "arguments are no JSON", "error")
    told.model("Something went wrong.")
    return told.runs


def no_arguments() -> list[Json]:
    told = Recorder().asked(human("What time is it?"))
    told.model("", call("c1", "clock"))
    told.tool("c1", "clock", "12:30")
    told.model("Half past twelve.")
    return told.runs


def unanswered_call() -> list[Json]:
    told = Recorder().asked(human("Where is order A1?"))
    told.model("", LOOKUP)
    return told.runs


def pending_call() -> list[Json]:
    told = Recorder().asked(human("Refund order A1."))
    told.model("", call("c1", "refund_order", order_id="A1"))
    told.root["outputs"]["__interrupt__"] = [{"value": "Refund order A1?", "id": "i1"}]
    return told.runs


def nested_agent() -> list[Json]:
    told = Recorder().asked(human("Is order A1 late?"))
    told.model("", call("c1", "ask_shipping", question="Is A1 late?"))
    inner = told.tool("c1", "ask_shipping", "It is on time.", question="Is A1 late?")
    told.model("", call("c2", "track_parcel", order_id="A1"), under=inner)
    told.tool("c2", "track_parcel", {"late": False}, inner, order_id="A1")
    told.model("It is on time.", under=inner)
    told.answered("c1", "It is on time.")
    told.model("It is not late.")
    return told.runs


def multi_turn() -> list[Json]:
    """Code that hears the user twice: nothing but what the model was given tells of it."""
    told = Recorder().asked(simulated=True)
    told.chat.append(human("Hello."))
    told.model("Hello, how can I help?")
    told.chat.append(human("Where is order A1?"))
    told.model("", LOOKUP)
    told.tool("c1", "lookup_order", {"status": "shipped"}, order_id="A1")
    told.answered("c1", '{"status": "shipped"}')
    told.model("It has shipped.")
    return told.runs


def no_output() -> list[Json]:
    told = Recorder().asked(human("Where is order A1?"))
    told.model("", LOOKUP)
    told.tool("c1", "lookup_order", {"status": "shipped"}, order_id="A1")
    return told.runs


def structured_content() -> list[Json]:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    told = Recorder().asked(human([{"type": "text", "text": "What is this?"}, image]))
    told.model("", call("c1", "find_order", like={"items": ["lamp"], "limit": 1}))
    order = {"status": "shipped", "items": ["lamp", "desk"], "total": 79.5, "note": None}
    told.tool("c1", "find_order", order, like={"items": ["lamp"], "limit": 1})
    told.model("A lamp of order A1.")
    return told.runs


def in_unicode() -> list[Json]:
    told = Recorder().asked(human(GREETING))
    told.model("", call("c1", "échо", grüße=GREETING))
    told.tool("c1", "échо", {"🙂": GREETING}, grüße=GREETING)
    told.model(GREETING)
    return told.runs


class TestLangSmith(AdapterConformance):
    def writer(self):
        return from_trace

    adapter = adapter
    samples: ClassVar = {
        "plain_answer": plain_answer(),
        "parallel_calls": parallel_calls(),
        "failed_call": failed_call(),
        "retry": retry(),
        "unknown_tool": unknown_tool(),
        "unparsable_arguments": unparsable_arguments(),
        "no_arguments": no_arguments(),
        "unanswered_call": unanswered_call(),
        "pending_call": pending_call(),
        "nested_agent": nested_agent(),
        "multi_turn": multi_turn(),
        "no_output": no_output(),
        "structured_content": structured_content(),
        "unicode": in_unicode(),
    }
    cannot_express: ClassVar = {
        "approved_call": "a run that was resumed is a trace of its own, in the thread of the first"
    }
    broken: ClassVar = [{"id": "r9", "run_type": "chain", "inputs": "not an object"}]
    holds_suites = True

    def use_framework(self) -> Callable[[], object] | None:
        return need_langsmith
