"""The charts of a page: SVG without scripts, in colours that the page's style sheet gives."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import floor, log2, sqrt
from typing import TYPE_CHECKING, TypeAlias
from xml.etree import ElementTree

from passhat.errors import MissingExtraError
from passhat.reliability import Summary
from passhat.report.outcome import bands

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = {
    "#010101": "ink",
    "#020202": "faint",
    "#030303": "line",
    "#040404": "accent",
    "#050505": "good",
    "#060606": "mixed",
    "#070707": "bad",
    "#080808": "second",
    "#090909": "paper",
}
"""What is drawn in each of these stands in the page's own colour of that name."""
_OF = {name: value for value, name in _COLOURS.items()}
_KINDS = {"always": "good", "flaky": "mixed", "never": "bad"}
_WIDTH = 5.4
"""In inches; a narrow screen shows the words of a chart little smaller than they are."""
_Point: TypeAlias = tuple[float, float]
_MOST_DOTS = 400
_GRID = (100, 50)
_LARGEST = 250
"""Of a dot, in square points: as much as there is room for beside the axes."""
_SVG = "http://www.w3.org/2000/svg"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_STYLE = re.compile(r"\s*([\w-]+)\s*:\s*([^;]+?)\s*(?:;|$)")
_KEPT = frozenset({
    "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray",
    "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "opacity", "text-anchor",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart.

    Attributes:
        svg: Its drawing; shapes and words, and nothing that runs or loads.
    """

    svg: str


def reliability_chart(summary: Summary) -> Chart:
    """pass^k and pass@k by k, each with the band of its interval.

    Raises:
        MissingExtraError: Matplotlib is not installed.
    """
    ks = list(summary.pass_hat_k)
    with _drawing("curve", _WIDTH, 3.0) as (figure, axes, done):
        for values, intervals, colour, mark in (
            (summary.pass_at_k, summary.intervals.pass_at_k, "second", "s"),
            (summary.pass_hat_k, summary.intervals.pass_hat_k, "accent", "o"),
        ):
            low = [intervals[k][0] for k in ks]
            high = [intervals[k][1] for k in ks]
            points = [values[k] for k in ks]
            if len(ks) > 1:
                axes.fill_between(ks, low, high, color=_OF[colour], alpha=0.16, linewidth=0)
            else:
                axes.vlines(ks, low, high, color=_OF[colour], alpha=0.4, linewidth=6)
            axes.plot(ks, points, color=_OF[colour], marker=mark, markersize=5, linewidth=2)
        for text, value, colour, above in _ends(summary, ks[-1]):
            axes.annotate(
                text,
                (ks[-1], value),
                (9, 5 if above else -5),
                textcoords="offset points",
                va="bottom" if above else "top",
                color=_OF[colour],
                fontsize=10,
                annotation_clip=False,
            )
        axes.set_xlim(ks[0] - 0.15, ks[-1] + max(0.5, 0.17 * (ks[-1] - ks[0])))
        axes.set_ylim(0, 1.03)
        axes.set_xticks(ks)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
        axes.set_xlabel("k, attempts in a row")
        return done(figure)


def _ends(summary: Summary, k: int) -> Iterator[tuple[str, float, str, bool]]:
    at, hat = summary.pass_at_k[k], summary.pass_hat_k[k]
    yield f"pass@{k}", at, "second", True
    yield f"pass^{k}", hat, "accent", False


def histogram(summary: Summary) -> Chart:
    """Cases by how often they pass.

    Raises:
        MissingExtraError: Matplotlib is not installed.
    """
    found = bands(summary)
    with _drawing("histogram", _WIDTH, _bars_high(len(found))) as (figure, axes, done):
        places = list(range(len(found)))[::-1]
        colours = [_OF[_KINDS[band.kind]] for band in found]
        axes.barh(places, [band.cases for band in found], color=colours, height=0.66)
        _bar_ends(axes, places, [band.cases for band in found])
        axes.set_yticks(places, [band.label for band in found])
        _bare(axes)
        return done(figure)


def class_chart(counts: Sequence[tuple[str, int, str]]) -> Chart:
    """Bars of how many trials failed how.

    Args:
        counts: Name, number and level (`critical`, `warning`) of each class.

    Raises:
        MissingExtraError: Matplotlib is not installed.
    """
    with _drawing("classes", _WIDTH, _bars_high(len(counts))) as (figure, axes, done):
        places = list(range(len(counts)))[::-1]
        colours = [_OF["bad" if level == "critical" else "mixed"] for _, _, level in counts]
        axes.barh(places, [number for _, number, _ in counts], color=colours, height=0.66)
        _bar_ends(axes, places, [number for _, number, _ in counts])
        axes.set_yticks(places, [name for name, _, _ in counts])
        for label in axes.get_yticklabels():
            label.set_parse_math(False)
        _bare(axes)
        return done(figure)


def cost_chart(points: Sequence[tuple[float, float]], measure: str, rate: float) -> Chart:
    """Cases by what a trial of them takes, and how often they pass.

    Args:
        points: Of each case, the mean of the measure and the share of trials that pass.
        measure: What is measured, in words.
        rate: The share of all trials that pass, which is drawn as a line.

    Raises:
        MissingExtraError: Matplotlib is not installed.
    """
    with _drawing("cost", _WIDTH, 3.0) as (figure, axes, done):
        axes.axhline(rate, color=_OF["faint"], linewidth=1, linestyle=(0, (4, 3)))
        for (colour, size), kept in _dots(points).items():
            axes.plot(
                [x for x, _ in kept],
                [y for _, y in kept],
                color=_OF[colour],
                marker="o",
                markersize=sqrt(size),
                markeredgewidth=0,
                linestyle="",
                alpha=0.75,
                zorder=3,
            )
        axes.set_ylim(-0.06, 1.06)
        most = max((x for x, _ in points), default=0) or 1
        axes.set_xlim(-0.03 * most, most * 1.06)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
        axes.set_xlabel(f"{measure}, mean of a case's runs")
        axes.set_ylabel("runs that pass")
        return done(figure)


def _dots(points: Sequence[tuple[float, float]]) -> dict[tuple[str, float], list[_Point]]:
    """Where to draw dots, by colour and size; of many points those that lie close are one dot."""
    most = max((x for x, _ in points), default=0) or 1
    across, down = _GRID if len(set(points)) > _MOST_DOTS else (0, 0)
    found: Counter[tuple[str, float, float]] = Counter()
    for x, y in points:
        kind = "good" if y == 1 else "mixed" if y else "bad"
        if across:
            x, y = round(x / most * across) / across * most, round(y * down) / down
        found[kind, x, y] += 1
    dots: dict[tuple[str, float], list[_Point]] = {}
    for (kind, x, y), number in found.items():
        # Sizes go by doublings: dots of one size are drawn together, which keeps the page small.
        size = min(30 * 1.3 ** floor(log2(number)), _LARGEST)
        dots.setdefault((kind, size), []).append((x, y))
    return dots


def _bars_high(bars: int) -> float:
    """How high a chart of so many bars is, in inches: each as thick as in any other."""
    return 0.36 * bars + 0.1


def _bar_ends(axes: Axes, places: Sequence[int], values: Sequence[int]) -> None:
    most = max(values, default=0) or 1
    for place, value in zip(places, values, strict=True):
        axes.text(value + most * 0.012, place, f"{value:,}", va="center", color=_OF["ink"])
    axes.set_xlim(0, most * 1.12)
    axes.set_ylim(-0.55, len(places) - 0.45)


def _bare(axes: Axes) -> None:
    """Takes away what a bar chart with its numbers beside does not need."""
    axes.xaxis.set_visible(False)
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(axis="y", length=0)


@contextmanager
def _drawing(
    name: str, width: float, height: float
) -> Iterator[tuple[Figure, Axes, Callable[[Figure], Chart]]]:
    """A figure to draw on, its axes, and what makes the chart of it.

    Raises:
        MissingExtraError: Matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "html") from error
    ink, faint, line = _OF["ink"], _OF["faint"], _OF["line"]
    with rc_context({
        "svg.fonttype": "none", "svg.hashsalt": name, "font.family": "sans-serif",
        "font.size": 10, "text.color": ink, "text.parse_math": False,
        "axes.labelcolor": faint, "axes.edgecolor": line, "xtick.color": faint,
        "ytick.color": ink, "axes.spines.top": False, "axes.spines.right": False,
        "axes.spines.left": False, "axes.grid": False, "ytick.major.size": 0,
    }):  # fmt: skip
        figure = Figure(figsize=(width, height), layout="constrained")
        figure.patch.set_visible(False)
        axes = figure.add_subplot()
        axes.patch.set_visible(False)
        if name in ("curve", "cost"):
            axes.grid(axis="y", color=line, linewidth=0.8)
            axes.set_axisbelow(True)

        def done(drawn: Figure) -> Chart:
            out = io.StringIO()
            drawn.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
            return Chart(_inlined(out.getvalue(), name))

        yield figure, axes, done


def _inlined(svg: str, name: str) -> str:
    """The drawing as it may stand in a page that lets no style and no address in.

    Styles become attributes, colours those of the page; ids are made the chart's own; metadata and
    style sheets are dropped.
    """
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in ("metadata", "style", "title"):
                parent.remove(child)
    for element in root.iter():
        for key, value in _STYLE.findall(element.attrib.pop("style", "")):
            if key in _KEPT:
                element.set(key, value)
            elif key == "font":
                element.set("font-size", re.sub(r".*?([\d.]+)px.*", r"\1", value))
        for key in ("fill", "stroke"):
            if (colour := element.get(key, "").lower()) in _COLOURS:
                name_of = _COLOURS[colour]
                fill = "-fill" if name_of in ("good", "mixed", "bad") else ""
                element.set(key, f"var(--{name_of}{fill})")
        if "id" in element.attrib:
            element.set("id", f"{name}-{element.attrib['id']}")
        for key in ("clip-path", "href", _XLINK):
            if (value := element.attrib.pop(key, None)) is not None:
                element.set(key if key == "clip-path" else "href", value.replace("#", f"#{name}-"))
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    root.set("aria-hidden", "true")
    root.set("focusable", "false")
    ElementTree.register_namespace("", _SVG)
    return ElementTree.tostring(root, encoding="unicode")
