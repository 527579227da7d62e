"""Imports every part of the interpreter, so that each kind of expression, statement and callee has its handler."""

from hybridlint.analysis.mxnet import blocks  # noqa: F401
from hybridlint.analysis.python import functional  # noqa: F401
from hybridlint.analysis.syntax import (  # noqa: F401
    assignment,
    attempts,
    attributes,
    calls,
    comprehensions,
    conditions,
    expressions,
    global_code,
    loops,
    matching,
    statements,
    subscripts,
)
