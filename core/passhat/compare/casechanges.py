"""Case by case: which broke between two runs, which healed, and which differ as chance has it."""

from __future__ import annotations

from collections.abc import Sequence

from passhat.compare.comparison import CaseChange, CaseKind, CasesChanged
from passhat.compare.tallies import Tallies
from passhat.reliability import mcnemar
from passhat.reliability.corrections import adjusted
from passhat.reliability.tables import fisher_p, least_fisher_p

_ORDER = {"broke": 0, "healed": 1, "noise": 2}


def cases_changed(base: Tallies, new: Tallies, cases: Sequence[str]) -> CasesChanged:
    """How many cases mostly passed in one run and mostly failed in the other, with McNemar's p.

    Args:
        base: The first run.
        new: The second run.
        cases: Cases that both have.
    """
    broke = healed = ties = 0
    for name in cases:
        old, now = base.cases[name], new.cases[name]
        if 2 * old.c == old.n or 2 * now.c == now.n:
            ties += 1
            continue
        was, is_now = 2 * old.c > old.n, 2 * now.c > now.n
        broke += was and not is_now
        healed += is_now and not was
    return CasesChanged(broke, healed, ties, mcnemar(broke, healed).p_value)


def case_changes(
    base: Tallies, new: Tallies, cases: Sequence[str], confidence: float
) -> tuple[CaseChange, ...]:
    """The cases whose share of passes differs: those that broke first, then healed, then noise.

    Each is tested by Fisher's exact test, with Benjamini and Hochberg's correction over all cases
    in which a change could be told. A case whose trials are too few or too alike to show a change,
    whatever they say, is no comparison that was made: Gilbert 2005, "A modified false discovery
    rate multiple-comparisons procedure for discrete data".

    Args:
        base: The first run.
        new: The second run.
        cases: Cases that both have.
        confidence: How sure a change must be that is no noise.
    """
    level = 1 - confidence
    pairs = [(name, base.cases[name], new.cases[name]) for name in cases]
    able = [least_fisher_p(old.n, now.n, old.c + now.c) <= level for _, old, now in pairs]
    changed = [
        (name, old, now, fisher_p(old.n, old.c, now.n, now.c), can_be_told)
        for (name, old, now), can_be_told in zip(pairs, able, strict=True)
        if old.c * now.n != now.c * old.n
    ]
    tested = [p for *_, p, can_be_told in changed if can_be_told and p < 1.0]
    # Cases that did not change have p = 1, and take part in the correction.
    corrected = iter(adjusted([*tested, *[1.0] * (sum(able) - len(tested))], "bh"))
    found = []
    for name, old, now, p, can_be_told in changed:
        q = next(corrected) if can_be_told and p < 1.0 else 1.0
        down = now.c * old.n < old.c * now.n
        kind: CaseKind = "noise" if q > level else "broke" if down else "healed"
        found.append(CaseChange(name, kind, (old.n, old.c), (now.n, now.c), p, q))
    return tuple(sorted(found, key=lambda case: (_ORDER[case.kind], case.p_adjusted, case.p)))
