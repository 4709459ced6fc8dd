"""What happened in one attempt, in order: the one model every recording is turned into."""

from passhat.trace.builder import TraceBuilder
from passhat.trace.jsonform import TRACE_SCHEMA, decode_trace, encode_trace
from passhat.trace.model import Outcome, Trace
from passhat.trace.steps import (
    Interrupt,
    Message,
    NodeVisit,
    StateUpdate,
    Step,
    ToolCall,
    Usage,
)

__all__ = [
    "TRACE_SCHEMA",
    "Interrupt",
    "Message",
    "NodeVisit",
    "Outcome",
    "StateUpdate",
    "Step",
    "ToolCall",
    "Trace",
    "TraceBuilder",
    "Usage",
    "decode_trace",
    "encode_trace",
]
