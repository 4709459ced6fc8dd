"""CEL, the sandboxed language of `where`, `policies` and `success_check`, bounded when it is read.

An expression has no loops but its macros over lists, calls nothing outside itself and changes
nothing. What it can cost is bounded when it is compiled: its length, how deep its macros nest, how
long its literal lists are; and when it is evaluated: only what it reads is handed over, and what it
may cost on values of that size is reckoned first (`costs`). `killable` evaluates in a process that is ended when
it takes too long. Its numbers are those of 64 bits; an integer beyond them is refused rather than
rounded. `1 == 1.0` holds; `+`, `-`, `*`, `/` want both operands of one kind (`double(a) - b`).
"""

from passhat.expressions.compiling import (
    MAX_LENGTH,
    Expression,
    ExpressionError,
    MissingValueError,
    compile_expression,
)
from passhat.expressions.killing import killable
from passhat.expressions.looking import (
    FUNCTIONS,
    MACROS,
    MAX_LITERAL_ITEMS,
    MAX_NESTED_MACROS,
)

__all__ = [
    "FUNCTIONS",
    "MACROS",
    "MAX_LENGTH",
    "MAX_LITERAL_ITEMS",
    "MAX_NESTED_MACROS",
    "Expression",
    "ExpressionError",
    "MissingValueError",
    "compile_expression",
    "killable",
]
