"""Reads and writes the logs of an agent of our own, as an adapter of passhat.

A log is a line of JSON for each run, `{"log": [...]}`, with these entries:

    {"user": "Where is A1?"}
    {"agent": "Let me look.", "calls": [{"id": "c1", "tool": "lookup", "with": {"id": "A1"}}]}
    {"of": "c1", "gave": {"status": "shipped"}}      or      {"of": "c1", "failed": "timed out"}
"""

from passhat import Place, ToolCall, TraceError
from passhat.recordings import RecordingReader
from passhat.recordings.arguments import arguments
from passhat.recordings.shapes import identity, objects, text
from passhat.recordings.writing import Asked, Results, chat_order

KINDS = ("user", "agent", "of")


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
