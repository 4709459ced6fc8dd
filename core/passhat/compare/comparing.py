"""Comparing two runs: by metric, by check, by tag and by case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import fsum, sqrt

from msgspec.structs import replace

from passhat.compare.casechanges import case_changes, cases_changed
from passhat.compare.comparison import Change, Comparison, Verdict
from passhat.compare.estimating import (
    Difference,
    Estimate,
    Pairing,
    difference,
    refuse_other_words,
)
from passhat.compare.metrics import Metric
from passhat.compare.pins import pin_changes, pin_notes, refuse_unnamed, stopping_notes
from passhat.compare.sharing import Sharing, sharing
from passhat.compare.tallies import Tallies
from passhat.errors import InputError, UsageError
from passhat.reliability import Results, sign_flip_p
from passhat.reliability.corrections import Correction, adjusted
from passhat.reliability.counts import share as checked_share
from passhat.reliability.efficiency import MEASURES
from passhat.reliability.planning import few_cases_warning
from passhat.reliability.summariser import MOST_KS
from passhat.reliability.tables import stratified_p
from passhat.reliability.wording import counted

_RESAMPLES = 20_000
_MOST_TAGS = 200


def compare_results(
    base: Results,
    new: Results,
    *,
    vary: Iterable[str] = (),
    estimate: Estimate = "kind-of-cases",
    pairing: Pairing = "paired",
    confidence: float = 0.95,
    correction: Correction = "holm",
    names: tuple[str, str] = ("the baseline", "the new run"),
) -> Comparison:
    """What differs between two runs, and what of it chance explains.

    Paired by case: the difference's interval is that of `paired_difference`, its test the
    permutation test that swaps the two runs' trials within each case (`sign_flip_p`), as whole
    sets where a kind of cases is estimated and one by one where these cases are
    (`stratified_p`). Unpaired: Newcombe's interval on effective sizes, and no test.

    Args:
        base: The first run.
        new: The second run.
        vary: The pins that may differ.
        estimate: `kind-of-cases` takes the cases as a sample of the work, `these-cases` as all of
            it, so that only trials vary.
        pairing: `unpaired` compares suites that share no case.
        confidence: Of the intervals, between 0 and 1.
        correction: For looking at many checks, measures and tags.
        names: What to call the two.

    Raises:
        InputError: A run is empty, or they share no case.
        UsageError: They are pinned differently in what `vary` does not name, or an option makes
            no sense.

    >>> from passhat.result import Trial
    >>> def run(passes):
    ...     return Results(
    ...         tuple(
    ...             Trial(f"c{case}", trial, f"{case}/{trial}", "passed" if trial < passes else "failed")
    ...             for case in range(30)
    ...             for trial in range(5)
    ...         )
    ...     )
    >>> print(compare_results(run(5), run(3)).sentence)
    Worse: success 100 % -> 60.0 %, -40.0 points (-59.4 to -19.2), over 30 cases.
    """
    checked_share(confidence, "confidence")
    refuse_other_words(estimate, pairing)
    first, second = Tallies.of(base, names[0]), Tallies.of(new, names[1])
    for tallies in (first, second):
        if not tallies.n:
            raise InputError(f"{tallies.name}: no trial was judged, so there is nothing to compare")
    changes = pin_changes(base.trials, new.trials)
    refuse_unnamed(changes, tuple(vary), _pin_names(base, new))
    found = sharing(first, second, base.trials, new.trials)
    cases = shared_cases(found, pairing)
    comparing = _Comparing(first, second, cases, estimate, confidence, correction)
    success = comparing.success(cases)
    notes = [*pin_notes(changes, *names), *(found.notes(*names) if pairing == "paired" else ())]
    notes += stopping_notes(zip(names, (base.trials, new.trials), strict=True))
    if found.same_suite is False and pairing == "paired":
        notes.append("the suites differ; the cases that both have were compared")
    notes += [note for tallies in (first, second) for note in _broken_checks(tallies)]
    if warning := few_cases_warning(success.cases):
        notes.append(warning)
    if pairing == "unpaired":
        notes.append("unpaired: what differs may be the cases, not the agents")
    paired = (cases or ()) if pairing == "paired" else ()
    by_case = case_changes(first, second, paired, confidence)
    return Comparison(
        base=names[0],
        new=names[1],
        pairing=pairing,
        estimate=estimate,
        confidence=confidence,
        correction=correction,
        sharing=found,
        pins=changes,
        trials=(_trials(first, cases), _trials(second, cases)),
        left_out=(first.left_out, second.left_out),
        success=success,
        mcnemar=cases_changed(first, second, paired) if pairing == "paired" else None,
        pass_hat_k=comparing.pass_hat_k(),
        checks=comparing.checks(),
        efficiency=comparing.efficiency(),
        tags=comparing.tags() if pairing == "paired" else {},
        cases=by_case,
        unchanged=len(cases or ()) - len(by_case),
        notes=tuple(notes),
    )


def _broken_checks(tallies: Tallies) -> Iterator[str]:
    """What checks of a run themselves broke, and in how many trials: their numbers leave these out."""
    for key, by_case in tallies.by_check.items():
        broke = sum(result.status == "error" for said in by_case.values() for result in said)
        if broke:
            yield (
                f"{tallies.name}: the check {key} itself broke in {counted(broke, 'trial')}, which its "
                "numbers leave out"
            )


def shared_cases(found: Sharing, pairing: Pairing) -> tuple[str, ...] | None:
    """The cases to compare on; None for each run's own.

    Raises:
        InputError: They are to be paired, and share none.
    """
    if pairing == "unpaired":
        return None
    if not found.shared:
        why = "; ".join(found.notes("the baseline", "the new run"))
        raise InputError(
            f"the two runs share no case to compare ({why}); suites that differ are compared "
            "with --unpaired"
        )
    return found.shared


def _pin_names(*runs: Results) -> set[str]:
    return {name for run in runs for trial in run.trials for name in trial.pins}


def _trials(tallies: Tallies, cases: Sequence[str] | None) -> int:
    names = tallies.counted if cases is None else cases
    return sum(tallies.cases[name].n for name in names)


class _Comparing:
    def __init__(
        self,
        base: Tallies,
        new: Tallies,
        cases: tuple[str, ...] | None,
        estimate: Estimate,
        confidence: float,
        correction: Correction,
    ) -> None:
        self._base, self._new, self._cases = base, new, cases
        self._estimate: Estimate = estimate
        self._confidence = confidence
        self._correction: Correction = correction

    def success(self, cases: Sequence[str] | None) -> Change:
        apart = difference(Metric.of("success_rate"), self._new, self._base, cases)
        return self._judged([self._change(apart, p=self._success_p(apart, cases))])[0]

    def _success_p(self, apart: Difference, cases: Sequence[str] | None) -> float | None:
        if cases is None:
            return None
        if self._estimate == "these-cases":
            pairs = [
                (*old, *now) for old, now in zip(apart.base.counts, apart.new.counts, strict=True)
            ]
            return stratified_p(pairs)
        return sign_flip_p(apart.points)

    def pass_hat_k(self) -> tuple[Change, ...]:
        least = min(
            tallies.cases[name].n
            for tallies in (self._base, self._new)
            for name in (tallies.counted if self._cases is None else self._cases)
        )
        names = [f"pass_hat_k.{k}" for k in range(2, min(least, MOST_KS) + 1)]
        return self._judged(self._changes(names))

    def checks(self) -> tuple[Change, ...]:
        keys = [key for key in self._base.check_keys if key in self._new.check_keys]
        return self._judged(self._changes([f"checks.{key}.passed" for key in keys]))

    def efficiency(self) -> tuple[Change, ...]:
        names = ["efficiency.cost_per_success", *(f"efficiency.{name}" for name in MEASURES)]
        return self._judged(self._changes(names))

    def tags(self) -> dict[str, Change]:
        by_tag: dict[str, list[str]] = {}
        for name in self._cases or ():
            for tag in dict.fromkeys((*self._base.cases[name].tags, *self._new.cases[name].tags)):
                by_tag.setdefault(tag, []).append(name)
        kept = dict(list(by_tag.items())[:_MOST_TAGS])
        metric = Metric.of("success_rate")
        found = []
        for cases in kept.values():
            apart = difference(metric, self._new, self._base, cases)
            found.append(self._change(apart, p=self._success_p(apart, cases)))
        return dict(zip(kept, self._judged(found), strict=True))

    def _changes(self, names: Iterable[str]) -> list[Change]:
        found = []
        for name in names:
            metric = Metric.of(name)
            try:
                apart = difference(metric, self._new, self._base, self._cases)
            except UsageError:
                # A metric that one of the runs does not have is not compared.
                continue
            found.append(self._change(apart, p=self._p(apart)))
        return found

    def _p(self, apart: Difference) -> float | None:
        if apart.pairing == "unpaired" or not apart.points:
            return None
        if apart.new.metric.bounded:
            return sign_flip_p(apart.points, resamples=_RESAMPLES)
        return _t_p(apart.points)

    def _change(self, apart: Difference, *, p: float | None) -> Change:
        ends = apart.interval(self._confidence, self._estimate)
        return Change(
            apart.new.metric.text,
            apart.base.value,
            apart.new.value,
            apart.value,
            None if ends is None else (ends.low, ends.high),
            len(apart.new.cases),
            p,
        )

    def _judged(self, changes: list[Change]) -> tuple[Change, ...]:
        """The changes with their p corrected, and what that says."""
        tested = [change for change in changes if change.p is not None]
        ps = iter(
            adjusted([change.p for change in tested if change.p is not None], self._correction)
        )
        found = []
        for change in changes:
            p = None if change.p is None else next(ps)
            if p is not None:
                shown = p <= 1 - self._confidence + 1e-12
            else:
                low, high = change.interval or (0.0, 0.0)
                shown = not low <= 0 <= high
            verdict = _verdict(change) if shown else "unclear"
            found.append(replace(change, p_adjusted=p, verdict=verdict))
        return tuple(found)


def _verdict(change: Change) -> Verdict:
    if not change.difference:
        return "unclear"
    up = change.difference > 0
    # That a check held is better, whatever its score measures.
    return "better" if up == (Metric.of(change.metric).better == "higher") else "worse"


def _t_p(points: Sequence[float]) -> float | None:
    from scipy.special import stdtr

    cases = len(points)
    if cases < 2:
        return None
    mean = fsum(points) / cases
    spread = fsum((point - mean) ** 2 for point in points) / (cases - 1)
    if spread == 0:
        return 1.0 if mean == 0 else None
    return float(2 * stdtr(cases - 1, -abs(mean) / sqrt(spread / cases)))
