"""The class whose setup is searched, with the facts known beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.runtime.facts.records import record

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.proving.child.build.constructor_search import Constructor
    from hybridlint.proving.child.stages import Stage


@record(frozen=True)
class SearchTarget:
    """The class whose setup is searched: the class `cls` of the file at `path`, loaded in `world`.

    `recipe` is what the user specified in a directive or the settings, `recorded` are calls recorded in a real run.
    `batches` are the batch sizes of the rounds. `report_stage` is called with each stage before it begins, and
    `constructor` searches for constructor arguments.
    """

    world: LoadedModule
    cls: Any
    path: str
    recipe: Mapping[str, Any]
    recorded: Sequence[Mapping[str, Any]]
    batches: Sequence[int]
    report_stage: Callable[[Stage], None]
    constructor: Constructor

    def built(self, arguments_: ConstructorArguments, *, initialize: bool = True) -> Any:
        """Return a block built with these arguments. Raises what its constructor does."""
        return build(self.world, self.cls, *arguments_, initialize=initialize)
