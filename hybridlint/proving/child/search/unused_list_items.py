"""Items of guessed lists that the graph does not use: MXNet compiles no block with such an input.

The number of items was a guess. A list of states for two cells may have been given six arrays, of which the code takes
the first four by their numbers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.search.input_choice import FoundInputs

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.proving.child.build.arguments import ConstructorArguments
    from hybridlint.proving.child.specs.spec import Spec

#: MXNet's and the bundled runtime's message for an input that no output depends on.
_UNUSED = re.compile(r"InferShapeKeyword argument name data\d* not found")


def without_surplus(
    found: FoundInputs,
    refusal: Failure | None,
    taken: Callable[[ConstructorArguments, dict[str, Spec]], FoundInputs | None],
    refused: Callable[[FoundInputs], Failure | None],
) -> FoundInputs | None:
    """Return inputs with the longest of shorter lists that the compiled run takes; None if no list is too long.

    `refusal` is the compiled run's failure on the inputs `found`. `taken` returns inputs that the eager run accepts,
    else None; `refused` returns the compiled run's failure on them.
    """
    if refusal is None or _UNUSED.search(refusal.sentence) is None:
        return None
    for name, spec in found.inputs.items():
        if not isinstance(spec, list):
            continue
        for count in range(len(spec) - 1, 0, -1):
            other = taken(found.arguments, {**found.inputs, name: spec[:count]})
            if other is None:
                break
            if refused(other) is None:
                return other
    return None


def restriction(found: FoundInputs, fewer: FoundInputs) -> list[str]:
    """Return the restrictions of a proof to as many items as the inputs `fewer` have where `found` has more."""
    return [
        f"lists of {len(spec)} in `{name}`: eagerly more may be given, which no graph uses"
        for name, spec in fewer.inputs.items()
        if isinstance(spec, list) and spec != found.inputs[name]
    ]
