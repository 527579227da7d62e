"""Whether a gradient of zeros changes something: layers such as BatchNorm update their statistics in the backward pass.

Measured: ``x.detach()`` ends the backward pass, ``F.BlockGrad(x)`` goes on with zeros, and the moving mean and variance
of a BatchNorm behind `x` change.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import Unknown
from hybridlint.runtime.facts.registry import operators
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import is_own, walk


def may_update_statistics(frame: CodeContext) -> bool:
    """Return whether a backward pass through what a function computes may update statistics of a layer.

    It may if the file names such a layer, or if the function calls a block that is not in sight.
    """
    if _names_one(frame.source):
        return True
    calls = (n.func for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Call))
    return any(is_own(func) and isinstance(frame.seen.value(func), Unknown) for func in calls)


@lru_cache(maxsize=1)
def _names_one(source: SourceFile) -> bool:
    kept = tuple(o.name.removeprefix("_contrib_") for o in operators() if o.update_aux is not None)
    names = {n.attr for n in walk(source.tree) if isinstance(n, ast.Attribute)}
    names |= {n.id for n in walk(source.tree) if isinstance(n, ast.Name)}
    return any(name.startswith(kept) for name in names)
