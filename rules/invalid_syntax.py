"""File that Python cannot parse.

The file is not valid Python, or its bytes are not in the encoding that it declares, so nothing else in it was checked.
A file in the syntax of Python 2 (`print x`, `except E, e`, `0777`) is checked all the same, as far as that goes: its
findings have no fixes.
This rule is always on unless it is ignored by its code or its name, and no comment in the file silences it.

Bad:

    class Net(HybridBlock:  # HYB001
        pass

Good:

    class Net(HybridBlock):
        pass
"""

from __future__ import annotations

from hybridlint.rule import Rule

rule = Rule(__name__, code="HYB001", summary="file that Python cannot parse")
