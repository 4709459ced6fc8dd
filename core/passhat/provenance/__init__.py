"""Where each argument of each call came from, so far as the agent could have seen it."""

from passhat.provenance.origins import Kind, Origin, Source
from passhat.provenance.tracing import trace_arguments

__all__ = ["Kind", "Origin", "Source", "trace_arguments"]
