"""Numbers as a report writes them."""

from __future__ import annotations

from passhat.reliability import Rate
from passhat.reliability.wording import percent


def number(value: float, digits: int = 1) -> str:
    """A number with no more digits than it needs.

    >>> number(1164), number(5.82), number(3.0)
    ('1,164', '5.8', '3')
    """
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def rate(value: Rate) -> str:
    """A rate with what it is of.

    >>> rate(Rate.over(3, 4)), rate(Rate.over(0, 0))
    ('75 % (3/4)', 'of nothing')
    """
    if value.value is None:
        return "of nothing"
    return f"{percent(value.value)} ({number(value.hits)}/{number(value.of)})"


def money(value: float, currency: str | None) -> str:
    """An amount with its currency, to two significant digits where it is small.

    >>> money(0.01234, "USD"), money(12.5, "EUR")
    ('0.012 USD', '12.50 EUR')
    """
    text = f"{value:.2f}" if value >= 1 or value == 0 else f"{value:.2g}"
    return f"{text} {currency or ''}".rstrip()


def seconds(value: float) -> str:
    """A time span, in the unit that reads best.

    >>> seconds(0.25), seconds(12.34), seconds(200.0)
    ('250 ms', '12.3 s', '3 min 20 s')
    """
    if value < 1:
        return f"{1000 * value:.0f} ms"
    if value < 120:
        return f"{number(value)} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def thousands(value: float) -> str:
    """A large count, in thousands where that reads better.

    >>> thousands(950), thousands(12_340), thousands(2_500_000)
    ('950', '12.3k', '2.5M')
    """
    if value < 10_000:
        return number(value, 0)
    return f"{number(value / 1e3)}k" if value < 1e6 else f"{number(value / 1e6)}M"
