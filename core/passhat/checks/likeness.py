"""How like the answer is to a reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from passhat.case import Case
from passhat.checks.response import NO_ANSWER
from passhat.checks.rouge import TOKENIZERS, Tokens, rouge1
from passhat.grading.protocol import CheckBase
from passhat.result import CheckResult
from passhat.trace import Trace


@dataclass(frozen=True, slots=True)
class Rouge1(CheckBase):
    """How many words the answer shares with a reference: ROUGE-1.

    A weak measure: it counts words, so a wrong amount in the right sentence scores higher than the
    right one in other words. Give it a threshold (`at_least`); without one it must be 1.

    Args:
        reference: The reference, instead of the case's `response.equals` or, without that, its
            `reference`, if it is a text.
        tokens: What counts as a word. `unicode` (default): runs of letters and digits of any
            script, and single characters where a script writes no spaces; `ascii`: runs of a-z and
            0-9 only; `whitespace`: what stands between white space, as it is written.
        stem: Whether English words of more than three letters count by their stem (Porter's).
            With `unicode` this is what ADK's `response_match_score` computes.
        score: Which of the three is the score; all are in the evidence.
    """

    key: ClassVar[str] = "rouge1"
    needs: ClassVar[tuple[str, ...]] = ("response",)
    reference: str | None = None
    tokens: Tokens = "unicode"
    stem: bool = True
    score: Literal["f1", "precision", "recall"] = "f1"

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The score, 0..1."""
        stated = (self.reference, (case.response or {}).get("equals"), case.reference)
        reference = next((text for text in stated if isinstance(text, str)), None)
        if reference is None:
            return self.nothing("the case states no reference to compare the answer with")
        answer = trace.final_response
        scores = rouge1(answer or "", reference, TOKENIZERS[self.tokens], stem=self.stem)
        value: float = getattr(scores, self.score)
        said = f"{scores.overlap} of {scores.wanted} words of the reference are in the answer"
        return CheckResult(
            self.key,
            "passed" if value == 1 else "failed",
            value,
            NO_ANSWER if answer is None else said,
            {
                "f1": scores.f1,
                "precision": scores.precision,
                "recall": scores.recall,
                "overlap": scores.overlap,
                "words": scores.given,
                "reference_words": scores.wanted,
            },
        )
