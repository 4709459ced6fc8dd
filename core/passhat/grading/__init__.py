"""Checks, where they are found, and the grading of one trace by them."""

from passhat.grading.catalogue import BROUGHT_BY, CATALOGUE, build_check, check
from passhat.grading.judging import Grader, grade
from passhat.grading.measuring import measures
from passhat.grading.protocol import Check, FunctionCheck

__all__ = [
    "BROUGHT_BY",
    "CATALOGUE",
    "Check",
    "FunctionCheck",
    "Grader",
    "build_check",
    "check",
    "grade",
    "measures",
]
