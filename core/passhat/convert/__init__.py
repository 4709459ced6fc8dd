"""Suites and traces from one world's form into another's, with an account of every field.

`convert_file` reads a source, writes a target whole or not at all, and gives a `FidelityReport`: what
was kept, translated, carried, approximated and lost, case by case and field by field. What it says
is found by reading the target back, not believed.
"""

from passhat.convert.files import convert_file
from passhat.convert.ledger import FidelityReport, FieldNote
from passhat.convert.singlesteps import step_cases

__all__ = ["FidelityReport", "FieldNote", "convert_file", "step_cases"]
