"""Suites as files: reading, faults, writing, schemas, advice, and joining traces to cases."""

from passhat.suitefile.advice import Advice, advise
from passhat.suitefile.joining import Joined, Joiner, join
from passhat.suitefile.reading import read_suite, read_suite_with_notes, suite_from
from passhat.suitefile.recorded import case_from_trace
from passhat.suitefile.schemas import json_schema
from passhat.suitefile.writing import suite_value, write_suite

__all__ = [
    "Advice",
    "Joined",
    "Joiner",
    "advise",
    "case_from_trace",
    "join",
    "json_schema",
    "read_suite",
    "read_suite_with_notes",
    "suite_from",
    "suite_value",
    "write_suite",
]
