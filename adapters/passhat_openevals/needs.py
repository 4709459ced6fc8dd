"""What needs their libraries says so here, in words that name the line that installs them."""

from __future__ import annotations

from typing import cast

from passhat.adapter import Adapter, missing
from passhat.errors import MissingExtraError


def need_openevals() -> None:
    """Makes sure that openevals and agentevals are there.

    Raises:
        MissingExtraError: One of them is not installed.
    """
    from passhat_openevals.reader import adapter

    absent = missing(cast(Adapter, adapter))
    if absent:
        raise MissingExtraError(" and ".join(absent), "openevals")
