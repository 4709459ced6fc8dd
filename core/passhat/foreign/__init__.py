"""Files of no form that is read: what they seem to be, and how to make one that is.

Nothing here is sure. It is what a person would say who looks at the beginning of the file.
"""

from passhat.foreign.advising import advice
from passhat.foreign.csvtables import table_advice
from passhat.foreign.forms import CHAT
from passhat.foreign.looking import beginning, outline

__all__ = ["CHAT", "advice", "beginning", "outline", "table_advice"]
