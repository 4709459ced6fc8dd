"""Scoring: a recording and a suite in, results out."""

from passhat.scoring.asking import GRADED, grade, nothing_read, score
from passhat.scoring.joined import Scoring
from passhat.scoring.sources import suite_of
from passhat.scoring.unjudged import NO_VERDICT, TWICE

__all__ = [
    "GRADED",
    "NO_VERDICT",
    "TWICE",
    "Scoring",
    "grade",
    "nothing_read",
    "score",
    "suite_of",
]
