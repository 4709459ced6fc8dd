"""What `passhat report` lays beside results: timelines, labels, and what a gate decides of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace as with_fields

from passhat.cli import terminal
from passhat.cli.options import Format
from passhat.errors import TraceError
from passhat.wording import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passhat.compare import Comparison
    from passhat.gate import Decision, Policy
    from passhat.reliability import Results
    from passhat.result import Trial


class Gated(NamedTuple):
    """What a gate decides, and what differs from the baseline where there is one."""

    decision: Decision
    comparison: Comparison | None

    def text(self, format: Format, output: str) -> str:
        """The decision and the comparison, which come before all else."""
        from passhat.report.comparison import comparison_blocks
        from passhat.report.decision import decision_blocks

        parts = [decision_blocks(self.decision)]
        if self.comparison is not None:
            parts.append(comparison_blocks(self.comparison))
        return "\n".join(terminal.rendered(blocks, format, output) for blocks in parts)


def gated_by(
    policy: Policy, results: Results, name: str, baseline: str | None, vary: Sequence[str]
) -> Gated:
    """What a policy decides of the results of a file, and what differs from the baseline."""
    from passhat.compare import compare_results
    from passhat.gate import decide
    from passhat.jsontext import file_name
    from passhat.reliability import read_results

    told = file_name(name)
    if baseline is None:
        return Gated(decide(results, policy, names=(told, "")), None)
    base, base_told = read_results(baseline), file_name(baseline)
    decision = decide(results, policy, base, vary=vary, names=(told, base_told))
    comparison = compare_results(
        base,
        results,
        vary=[change.name for change in decision.pins if change.base and change.new],
        estimate=decision.estimate,
        confidence=decision.confidence,
        names=(base_told, told),
    )
    return Gated(decision, comparison)


def with_timelines(results: Results, sources: list[str], reader: str | None) -> Results:
    """The results, failed trials with the steps of the runs that have their ids."""
    from passhat.adapter import read_traces
    from passhat.grading.timeline import timeline_of

    wanted = {trial.trace_id for trial in results if trial.lost}
    found = {}
    for source in sources:
        for trace in read_traces(source, reader):
            if isinstance(trace, TraceError):
                terminal.say(str(trace))
            elif trace.id in wanted:
                found[trace.id] = timeline_of(trace)
    if missing := len(wanted - found.keys()):
        terminal.say(f"{missing} of {len(wanted)} failed runs are not among the recorded ones")

    def told(trial: Trial) -> Trial:
        steps = found.get(trial.trace_id) if trial.lost else None
        return trial if steps is None else with_fields(trial, timeline=steps)

    return replace(results, trials=tuple([told(trial) for trial in results]))


def with_labels(results: Results, path: str) -> Results:
    """The results with the classes that the labels of a file say."""
    from passhat.reliability import read_labels
    from passhat.result import FAILURE_CLASSES

    labels = read_labels(path)
    labelled = results.relabelled(labels)
    used = {trial.failed_as for trial in labelled} - {None}
    own = sorted(name for name in used if name and name not in FAILURE_CLASSES)
    if own:
        terminal.say(f"classes of your own, told as they are: {', '.join(own)}")
    if unused := labels.unused(results):
        named = [key if isinstance(key, str) else f"{key[0]}/{key[1]}" for key in unused]
        terminal.say(f"labels of no failed trial: {joined(named, 5)}")
    return labelled
