"""Reads and writes the logs of an agent of our own, as an adapter of passhat.

A log is a line of JSON for each run, `{"log": [...]}`, with these entries:

    {"user": "Where is A1?"}
    {"agent": "Let me look.", "calls": [{"id": "c1", "tool": "lookup", "with": {"id": "A1"}}]}
    {"of": "c1", "gave": {"status": "shipped"}}      or      {"of": "c1", "failed": "timed out"}

What is expected of runs is a file of its own, `{"name": "orders", "tasks": [...]}`, with these tasks:

    {"task": "where-is-it", "ask": "Where is A1?", "must_call": ["lookup"], "never_call": ["cancel"]}
"""

import json

from passhat import Fidelity, FidelityNote, InputError, Place, ToolCall, TraceError, UsageError
from passhat.jsontext import decode, first_values, read_bytes, replacing
from passhat.recordings import RecordingReader
from passhat.recordings.arguments import arguments
from passhat.recordings.shapes import identity, objects, text
from passhat.recordings.writing import Asked, Results, chat_order
from passhat.suitefile import suite_from, suite_value

KINDS = ("user", "agent", "of")
TASK = {
    "task": "id",
    "ask": "input",
    "must_call": "expected_calls",
    "never_call": "forbidden_calls",
}
"""The keys of a task, and the keys of a case that they are."""


class AgentLog(RecordingReader):
    """Reads and writes agent logs."""

    name = "agentlog"
    label = "agent logs"
    key = "log"

    def is_entry(self, value):
        """Whether a value is one entry of a log."""
        return isinstance(value, dict) and any(kind in value for kind in KINDS)

    def sure(self, entries, row):
        """Sure where all are entries of a log, and the row says that it is one."""
        return 0.9 if entries and row and all(map(self.is_entry, entries)) else 0.0

    def sniff(self, path, head):
        """Sure of a file of tasks as well."""
        tasks = any(isinstance(one, dict) and "tasks" in one for one in first_values(head))
        return 0.9 if tasks else super().sniff(path, head)

    def fill(self, chat, entries, row):
        """Puts the entries into the trace; `path` says where each stands."""
        for path, entry in entries:
            if "user" in entry:
                chat.user(text(entry, "user", path) or "")
            elif "agent" in entry:
                asked_for = objects(entry.get("calls"), f"{path}.calls", "calls")
                calls = [call(one, where) for where, one in asked_for]
                chat.assistant(text(entry, "agent", path) or "", calls)
            elif "of" in entry:
                failed = "failed" in entry
                came_of = entry["failed"] if failed else entry.get("gave")
                call_id = identity(entry, "of", path)
                chat.answer(came_of, call_id=call_id, failed=failed, entry=entry)
            else:
                known = ", ".join(KINDS)
                raise TraceError(f"no entry of a log: none of {known}", Place(path=path))

    def conversation(self, trace):
        """The entries of a trace: what `fill` reads back."""
        log = []
        for part in chat_order(trace):
            if isinstance(part, Results):
                log += map(came, part.calls)
            elif isinstance(part, Asked):
                entry = {"agent": part.message.text if part.message else ""}
                log.append(entry | ({"calls": list(map(asked, part.calls))} if part.calls else {}))
            else:
                log.append({"user": part.text})
        return {"log": log}

    def read_suite(self, source):
        """The suite of a file of tasks; a key that no task has is an error, not passed over."""
        place = Place(str(source))
        value = decode(read_bytes(source), place)
        tasks = value.get("tasks") if isinstance(value, dict) else None
        if not isinstance(tasks, list):
            raise UsageError(f"{source} holds logs, which record runs and expect nothing")
        for at, task in enumerate(tasks):
            unknown = task.keys() - TASK.keys() if isinstance(task, dict) else {"no object"}
            if unknown:
                raise InputError(
                    f"no key of a task: {', '.join(unknown)}", Place(path=f"$.tasks[{at}]")
                )
        cases = [{TASK[key]: held for key, held in task.items()} for task in tasks]
        return suite_from({"name": value.get("name", "tasks"), "cases": cases}, place), Fidelity()

    def write_suite(self, suite, target):
        """Writes a file of tasks, and says of each key that a task has no place for that it is lost."""
        value = suite_value(suite)
        ours = {key: name for name, key in TASK.items()}
        notes = [
            FidelityNote(f"{case['id']}: {key}", "lost", "a task has no place for it")
            for case in value["cases"]
            for key in case.keys() - ours.keys()
        ]
        notes += [
            FidelityNote(key, "lost", "a file of tasks has no place for it")
            for key in value.keys() - {"schema", "name", "cases"}
        ]
        tasks = [
            {name: case[key] for key, name in ours.items() if key in case}
            for case in value["cases"]
        ]
        with replacing(target) as file:
            file.write(json.dumps({"name": suite.name, "tasks": tasks}, indent=2).encode())
        return Fidelity(tuple(notes))


def call(entry, path):
    """The call that was asked for; arguments that do not parse are kept as text."""
    args, unparsed = arguments(entry.get("with"))
    name = text(entry, "tool", path) or ""
    return ToolCall(name, args, args_error=unparsed, id=identity(entry, "id", path))


def asked(call):
    """A call as the log writes it."""
    return {"id": call.id, "tool": call.name, "with": call.args_error or call.args}


def came(call):
    """What came of a call, as the log writes it."""
    return {"of": call.id, **({"failed": call.error} if call.failed else {"gave": call.result})}


adapter = AgentLog()
