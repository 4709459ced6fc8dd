"""Results as a CSV table, so that what any tool produced can be compared and gated."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from io import TextIOWrapper
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn, cast, get_args

from passhat.errors import InputError, Place
from passhat.jsontext import file_name, head_of, opened
from passhat.reliability.csvcells import unguarded
from passhat.result import COUNTED, CheckResult, CheckStatus, Failure, Trial, TrialStatus
from passhat.trace import Usage

COLUMNS = (
    "case",
    "trial",
    "passed",
    "status",
    "reason",
    "cost",
    "currency",
    "tokens",
    "seconds",
    "tags",
)
_MEASURES = ("turns", "requests", "tool_calls", "tool_errors")
_OURS = ("trace_id", "failure_class", "level", "by", *_MEASURES)
"""What a table of `passhat report` has besides."""
_ALSO = {"case_id": "case"}
_PREFIXES = ("check.", "pin.")
_TRUE = frozenset({"true", "1", "1.0", "yes", "y", "t", "pass", "passed"})
_FALSE = frozenset({"false", "0", "0.0", "no", "n", "f", "fail", "failed"})
_TAGS = re.compile(r"[;|,]")
_LARGEST_CELL = 1 << 24
_MOST_FAULTS = 20


def is_csv(path: str | Path) -> bool:
    """Whether a results file is a CSV table: by its name, else by what it begins with.

    Raises:
        InputError: It cannot be read.
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() != ".gz"]
    if suffixes and suffixes[-1] in (".csv", ".jsonl", ".ndjson", ".json"):
        return suffixes[-1] == ".csv"
    head = head_of(path, 4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    return bool(head) and not head.startswith((b"{", b"["))


def csv_results(path: str | Path) -> tuple[tuple[Trial, ...], tuple[str, ...]]:
    """The trials of a CSV table, and the columns that were not read.

    Args:
        path: The file; `-` is standard input. It may be gzipped.

    Raises:
        InputError: It cannot be read, a column is missing, or rows are no results: the message
            names each with its line.
    """
    with opened(path) as file:
        text = TextIOWrapper(cast(Any, file), encoding="utf-8-sig", newline="")
        try:
            return _Table(file_name(path)).read(text)
        except UnicodeDecodeError as error:
            raise InputError("not UTF-8; save it as UTF-8", Place(file_name(path))) from error
        finally:
            text.detach()


@dataclass
class _Table:
    file: str
    faults: list[InputError] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    seen: dict[tuple[str, int, str], int] = field(default_factory=dict)

    def read(self, text: TextIOWrapper) -> tuple[tuple[Trial, ...], tuple[str, ...]]:
        limit = csv.field_size_limit(_LARGEST_CELL)
        try:
            reader = csv.reader(text, strict=True)
            names, unknown = self._header(next(reader, []))
            trials = tuple(self._rows(reader, names))
        except csv.Error as error:
            raise InputError(f"not CSV: {error}", Place(self.file)) from error
        finally:
            csv.field_size_limit(limit)
        if self.faults:
            first = self.faults[0]
            more = [str(fault) for fault in self.faults[1:_MOST_FAULTS]]
            if (rest := len(self.faults) - _MOST_FAULTS) > 0:
                more.append(f"and {rest} more")
            raise InputError("\n".join((first.message, *more)), first.place)
        return trials, unknown

    def _header(self, row: list[str]) -> tuple[list[str], tuple[str, ...]]:
        place = Place(self.file, 1)
        if not row:
            raise InputError("the file is empty", place)
        names = []
        for cell in row:
            name = cell.strip()
            low = name.lower()
            if low.startswith(_PREFIXES):
                name = low.partition(".")[0] + name[low.index(".") :]
            else:
                name = _ALSO.get(low, low)
            names.append(name)
        twice = [name for name, many in Counter(names).items() if many > 1 and name]
        if twice:
            raise InputError(f"the column {twice[0]!r} is there twice", place)
        known = [
            name for name in names if name in COLUMNS or name in _OURS or name.startswith(_PREFIXES)
        ]
        unknown = [name for name in names if name and name not in known]
        for name in unknown:
            near = get_close_matches(name, [c for c in COLUMNS if c not in names], 1, cutoff=0.75)
            if near:
                raise InputError(f"unknown column {name!r}, did you mean {near[0]}?", place)
        if len(names) == 1 and (other := re.search("[;\t|]", names[0])):
            raise InputError(f"its cells are parted by {other[0]!r}: a CSV has commas", place)
        if "case" not in known:
            raise InputError(f"no column 'case'; there are {', '.join(names)}", place)
        if "passed" not in known and "status" not in known:
            raise InputError(
                f"no column 'passed' (or 'status'); there are {', '.join(names)}", place
            )
        return names, tuple(unknown)

    def _rows(self, reader: Any, names: list[str]) -> Iterator[Trial]:
        for row in reader:
            line = reader.line_num
            if not any(cell.strip() for cell in row):
                continue
            try:
                if len(row) != len(names):
                    self._fault(line, f"{len(row)} cells under {len(names)} columns")
                cells = {
                    name: unguarded(cell.strip()) for name, cell in zip(names, row, strict=True)
                }
                yield self._trial(cells, line)
            except InputError as error:
                self.faults.append(error)

    def _trial(self, cells: Mapping[str, str], line: int) -> Trial:
        case = cells["case"]
        status = self._status(cells, line)
        if not case and status in COUNTED:
            self._fault(line, "no case")
        number = self._number(cells.get("trial", ""), "trial", line, whole=True)
        if not case:
            name = cells.get("trace_id", "")
            return Trial(None, int(number or 0), name, status, reason=cells.get("reason", ""))
        trial = self.counts[case] if number is None else int(number)
        self.counts[case] += 1
        # As in other results, one attempt is told from another by its trace too.
        trace_id = cells.get("trace_id") or f"{case}/{trial}"
        before = self.seen.setdefault((case, trial, trace_id), line)
        if before != line:
            self._fault(line, f"trial {trial} of case {case!r} is on line {before} already")
        cost = self._number(cells.get("cost", ""), "cost", line)
        measures = {"tokens": self._number(cells.get("tokens", ""), "tokens", line, whole=True)}
        for name in _MEASURES:
            measures[name] = self._number(cells.get(name, ""), name, line)
        lost = status in COUNTED and status != "passed"
        pins = {name[4:]: value for name, value in cells.items() if _named(name, "pin.") and value}
        return Trial(
            case,
            trial,
            trace_id,
            status,
            tuple(
                self._check(name[6:], value, line)
                for name, value in cells.items()
                if _named(name, "check.") and value
            ),
            reason=cells.get("reason", ""),
            usage=None
            if cost is None
            else Usage(cost=cost, currency=cells.get("currency") or "USD"),
            seconds=self._number(cells.get("seconds", ""), "seconds", line),
            measures={name: value for name, value in measures.items() if value is not None},
            tags=tuple(
                dict.fromkeys(
                    tag for part in _TAGS.split(cells.get("tags", "")) if (tag := part.strip())
                )
            ),
            pins=pins,
            failure_class=(cells.get("failure_class") or None) if lost else None,
            failure=Failure(by=cells["by"]) if lost and cells.get("by") else None,
        )

    def _status(self, cells: Mapping[str, str], line: int) -> TrialStatus:
        passed, status = cells.get("passed", "").lower(), cells.get("status", "").lower()
        if passed and passed not in _TRUE and passed not in _FALSE:
            self._fault(line, f"passed is {passed!r}; it is true or false")
        if not status:
            if not passed:
                self._fault(line, "neither passed nor a status: whether it passed is not said")
            return "passed" if passed in _TRUE else "failed"
        if status not in get_args(TrialStatus):
            near = get_close_matches(status, get_args(TrialStatus), 1)
            told = f"did you mean {near[0]}?" if near else f"it is {_listed(TrialStatus)}"
            self._fault(line, f"status is {status!r}; {told}")
        if passed and (passed in _TRUE) != (status == "passed"):
            self._fault(line, f"passed is {passed}, and status is {status}: they contradict")
        return cast(TrialStatus, status)

    def _check(self, key: str, value: str, line: int) -> CheckResult:
        low = value.lower()
        if low in get_args(CheckStatus):
            status = cast(CheckStatus, low)
            score = {"passed": 1.0, "failed": 0.0}.get(status)
        elif low in _TRUE or low in _FALSE:
            score = float(low in _TRUE)
            status = "passed" if score else "failed"
        else:
            self._fault(line, f"check.{key} is {value!r}; it is {_listed(CheckStatus)}")
        return CheckResult(key, status, score)

    def _number(self, text: str, name: str, line: int, *, whole: bool = False) -> float | None:
        if not text:
            return None
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not isfinite(value) or value < 0 or (whole and value != int(value)):
            kind = "whole number" if whole else "number"
            self._fault(line, f"{name} is {text!r}; it is a {kind} of 0 or more")
        return value

    def _fault(self, line: int, message: str) -> NoReturn:
        raise InputError(message, Place(self.file, line))


def _named(name: str, prefix: str) -> bool:
    return name.startswith(prefix) and len(name) > len(prefix)


def _listed(kind: Any) -> str:
    *most, last = get_args(kind)
    return f"{', '.join(most)} or {last}"
