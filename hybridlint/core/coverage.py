"""The work that a run may leave out, in the words of the key `coverage` in JSON."""

from __future__ import annotations

FUNCTION_CUT_OFF, FILE_NOT_READ, BLOCK_NOT_RUN = "function cut off", "file not read", "block not run"
#: The names of the rules that report it.
CUT_OFF, UNPARSABLE = "unfinished-analysis", "invalid-syntax"
#: What is left out where a rule reports it, by the name of the rule.
COVERAGE_BY_RULE = {CUT_OFF: FUNCTION_CUT_OFF, UNPARSABLE: FILE_NOT_READ}
