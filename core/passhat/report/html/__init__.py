"""Results as one page of HTML that stands alone: no script, style, font or image from elsewhere."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passhat.reliability import Results, Summary
from passhat.reliability.mean_intervals import Method
from passhat.reliability.wording import counted
from passhat.report.failed import level_of, worst_first
from passhat.report.html import trials as shapes
from passhat.result import Trial

if TYPE_CHECKING:
    from passhat.compare import Comparison
    from passhat.gate import Decision

MOST_BYTES = 1_900_000
"""The largest page: a little under two megabytes."""

_FOLDER = Path(__file__).parent
_LONGEST = 4_000
_GRID = 0.35
_ROW = 700
_CELL = 40
_FULL = 0.8
_BRIEF_STEPS = 6


def html_report(
    results: Results,
    *,
    summary: Summary | None = None,
    title: str | None = None,
    decision: Decision | None = None,
    comparison: Comparison | None = None,
    ks: Sequence[int] | None = None,
    confidence: float = 0.95,
    method: Method = "auto",
    seed: int = 0,
    most_bytes: int = MOST_BYTES,
) -> str:
    """The results as one page of HTML.

    It begins with the verdict and what to act on, and has every failed run with its timeline (where
    the results kept one), expected against actual calls and the state's difference. Whatever a
    model or a tool wrote is escaped, and a policy in the page lets nothing run or load but its own
    few lines of script, which search and filter.

    Args:
        results: What to report.
        summary: What they come to, where that is known already.
        title: What to call it, beside the verdict.
        decision: What a gate decided of them; it is the page's verdict then, with each rule below.
        comparison: What differs from a baseline, shown after the decision.
        ks: The ks of pass^k; like the next three as in `Results.summary`.
        confidence: Of the intervals.
        method: Of the intervals.
        seed: For the bootstraps.
        most_bytes: How large the page may be. Of many failed runs some are left out or shortened
            then, critical ones and one of each case last, and the page says how many.

    Raises:
        MissingExtraError: Matplotlib is not installed; the extra `html` brings it.
        EstimationError: A k that some case's trials do not allow.
    """
    import jinja2
    from markupsafe import Markup

    from passhat import __version__
    from passhat.report.harmless import cut
    from passhat.report.html.page import page
    from passhat.report.html.safe import shown

    told = summary or results.summary(ks, confidence=confidence, method=method, seed=seed)

    def fit(value: Any) -> Any:
        return shown(cut(value, _LONGEST)) if type(value) is str else value

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        finalize=fit,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    css = (_FOLDER / "page.css").read_text("utf-8")
    js = (_FOLDER / "page.js").read_text("utf-8")
    held = page(told, results.trials, results.pins, title, decision, comparison)
    for name in ("curve", "histogram", "class_chart", "cost_chart"):
        held[name] = Markup(held[name])
    template = environment.get_template("page.html")
    given = {
        "page": held,
        "css": Markup(css),
        "js": Markup(js),
        "policy": _policy(css, js),
        "version": __version__,
    }
    nothing = {"case_rows": "", "cards": "", "left_out": "", "cases_left_out": ""}
    frame = len(_encoded(template.render(given, **nothing)))
    parts = environment.get_template("parts.html").module
    room = max(most_bytes - frame - 2_000, 0)
    writer = _Writer(parts, told, results.trials)
    cards, left_out = writer.cards(room - min(writer.grid, int(room * _GRID)))
    rows, cases_left_out = writer.rows(room - _size(cards))
    return template.render(
        given,
        case_rows=Markup("".join(rows)),
        cards=Markup("".join(cards)),
        left_out=left_out,
        cases_left_out=cases_left_out,
    )


class _Writer:
    """Writes the failed runs and the cases of a page, in the room there is."""

    def __init__(self, parts: Any, summary: Summary, trials: Sequence[Trial]) -> None:
        self._parts = parts
        self._summary = summary
        self._by_case: dict[str, list[Trial]] = {}
        for trial in trials:
            if trial.case_id is not None:
                self._by_case.setdefault(trial.case_id, []).append(trial)
        self._row_ids = {case.case_id: f"c{at}" for at, case in enumerate(summary.cases)}
        lost = worst_first(trial for trial in trials if trial.case_id is not None)
        self._lost = lost
        self._ids = {id(trial): f"t{at}" for at, trial in enumerate(lost)}
        self._shown: dict[int, str] = {}

    @property
    def grid(self) -> int:
        """About how many bytes the rows of the cases take."""
        sizes = (min(len(trials), shapes.MOST_CELLS) for trials in self._by_case.values())
        return sum(_ROW + _CELL * size for size in sizes)

    def cards(self, room: int) -> tuple[list[str], str]:
        """The failed runs, the worst first, and in words what is left out of them."""
        written: dict[int, str] = {}
        used = brief = 0
        for trial in _one_of_each_first(self._lost):
            steps = None if used < room * _FULL else _BRIEF_STEPS
            anchor = self._ids[id(trial)]
            row = self._row_ids.get(trial.case_id or "", "")
            text = str(self._parts.card(shapes.card(trial, anchor, row, steps=steps)))
            size = len(_encoded(text))
            if used + size > room:
                if steps is None and used < room * _FULL:
                    text = str(
                        self._parts.card(shapes.card(trial, anchor, row, steps=_BRIEF_STEPS))
                    )
                    size = len(_encoded(text))
                    steps = _BRIEF_STEPS
                if used + size > room:
                    break
            brief += steps is not None and len(trial.timeline) > steps
            written[id(trial)] = text
            self._shown[id(trial)] = anchor
            used += size
        missing = len(self._lost) - len(written)
        told = []
        if missing:
            told.append(
                f"{missing:,} of {counted(len(self._lost), 'failed run')} are left out to keep the "
                "page small: --format csv or the results have them all."
            )
        if brief:
            told.append(f"The timelines of {counted(brief, 'run')} are shortened.")
        return [written[id(t)] for t in self._lost if id(t) in written], " ".join(told)

    def rows(self, room: int) -> tuple[list[str], str]:
        """The rows of the cases, and in words what is left out of them."""
        rows: list[str] = []
        used = 0
        for case in self._summary.cases:
            trials = sorted(self._by_case.get(case.case_id, ()), key=lambda trial: trial.trial)
            held = shapes.case_row(case, trials, self._row_ids[case.case_id], self._shown)
            text = str(self._parts.case_row(held))
            used += len(_encoded(text))
            if used > room:
                more = counted(len(self._summary.cases) - len(rows), "case")
                return rows, f"{more} more are left out to keep the page small, steady ones first."
            rows.append(text)
        return rows, ""


def _one_of_each_first(lost: Sequence[Trial]) -> list[Trial]:
    """Failed runs in the order in which they are kept: critical ones, and one of each case, first."""
    seen: dict[str | None, int] = {}
    ranked = []
    for at, trial in enumerate(lost):
        nth = seen[trial.case_id] = seen.get(trial.case_id, 0) + 1
        ranked.append((nth, level_of(trial) != "critical", at, trial))
    return [trial for *_, trial in sorted(ranked, key=lambda item: item[:3])]


def _policy(css: str, js: str) -> str:
    """What the page lets in: its own style sheet and script, known by their hashes."""
    hashes = [
        f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in (css, js)
    ]
    return (
        f"default-src 'none'; style-src {hashes[0]}; script-src {hashes[1]}; "
        "base-uri 'none'; form-action 'none'"
    )


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _size(texts: Sequence[str]) -> int:
    return sum(len(_encoded(text)) for text in texts)
