"""All that the interpreter can do: importing it gives each kind of expression, statement and callee its handler."""

from hybridlint.analysis import (  # noqa: F401
    assignment,
    attempts,
    attributes,
    blocks,
    calls,
    comprehensions,
    conditions,
    expressions,
    functional,
    global_code,
    loops,
    matching,
    statements,
    subscripts,
)
