"""English words for what was looked up, or called."""

from __future__ import annotations

import re

_LOOKS = (
    r"double-checked|re-?checked|checked|looked up|looked into|looked at|looked through|looked over|"
    r"looked(?= (?:\w+ ){1,4}up\b)|searched|verified|reviewed|retrieved|queried|fetched|consulted|"
    r"pulled(?: up)?|tracked|traced|(?:gone|went) (?:through|over)|inspected|examined|scanned|browsed|"
    r"accessed|listed|located|measured|pinged|probed|tested|grepped|polled|read|"
    r"ran|run|performed|conducted|executed"
)
_LOOKING_ING = (
    r"checking|double-checking|looking (?:up|into|at|through)|searching|verifying|reviewing|"
    r"retrieving|querying|consulting|pulling up|tracking|going through|inspecting|examining|scanning|"
    r"reading|running|accessing"
)
LOOKED = re.compile(
    rf"\b(?:i|we)(?:'ve|\s+have)?\s+(?:(?:now|just|already|also|carefully|quickly|then|went ahead and|"
    rf"gone ahead and|thoroughly)\s+)*(?P<verb>{_LOOKS})\b"
)
"""What an agent says when it says that it used a tool to find something out."""

LOOKED_AROUND = re.compile(
    rf"^\W*(?:after|upon|having|from|by)\s+(?P<verb>{_LOOKING_ING})\b(?P<what>[^.;?]{{0,80}}?),\s*"
    r"(?:i|we)(?:\s+can\s+(?:see|confirm|tell)|(?:'ve|\s+have)?\s+(?:found|see|noticed|confirmed|"
    r"confirm|saw|determined))\b"
)
"""The same, told before what was found: `after checking the logs, I can confirm`."""

CALLING = re.compile(
    r"\b(?:i|we)(?:'ve|\s+have)?\s+(?:(?:now|just|already|also|successfully)\s+)*"
    r"(?:called|used|ran|run|invoked|executed|queried|checked with|tried)\s+(?:the\s+)?"
    r"|\baccording to (?:the\s+)?|\b(?:results?|output|response) (?:of|from) (?:the\s+)?"
)
"""What an agent says before the name of a tool that it says it called."""

RUN_CHECKS = re.compile(
    r"^\W*(?:(?:the|your|our|all|full|whole|unit|entire)\s+)*(?:tests?|test suite|suite|linter|build|benchmarks?)\b"
)
"""What takes a tool to run: `I ran the tests`."""
