"""Imports every part of the interpreter, so that each kind of expression, statement and callee has its handler."""

from hybridlint.analysis.mxnet import dialect  # noqa: F401
from hybridlint.analysis.python import functional, library_calls, methods  # noqa: F401
from hybridlint.analysis.syntax import (  # noqa: F401
    assignment,
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
    try_statements,
    with_statements,
)
