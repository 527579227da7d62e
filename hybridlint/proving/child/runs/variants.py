"""The ways to run a version of a block: eager, compiled, exported and imported again, and in float16."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.proving.child.brief.changes import ModuleChanges
from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.build.blocks import Names, build
from hybridlint.proving.child.errors import NotRunError, failure
from hybridlint.proving.child.graphs import Exported
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.runs.casting import cast_block
from hybridlint.proving.child.runs.exported_block import Imported
from hybridlint.proving.child.runs.onnxruntime_share import share
from hybridlint.proving.child.runs.runs import CallPlan, Observation, inputs_of, observe
from hybridlint.proving.child.specs.signatures import own_forward

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

#: MXNet's message on exporting a block that was never traced.
_UNTRACED = "Please first call block.hybridize()"


class BlockVersion(NamedTuple):
    """A version of the class: the user's module (`world`), the class and the module's text; `label` is for the user.

    `changes` is what the brief says of the text.
    """

    label: str
    world: LoadedModule
    cls: Any
    text: str
    changes: ModuleChanges = ModuleChanges()


#: The float type of runs that tell rounding from error; as a variant to leave out, all such runs.
DOUBLE = "float64"


class Variant(NamedTuple):
    """A way to run a block; `flags` are arguments of ``hybridize``, None for an eager run.

    A block is cast to `dtype`, unless that is empty. `gpu` is the number of the GPU on which all is made and run, None
    for main memory.
    """

    name: str
    flags: Mapping[str, Any] | None
    exported: bool = False
    dtype: str = ""
    gpu: int | None = None

    @property
    def half(self) -> bool:
        """Whether the block runs in float16."""
        return self.dtype == "float16"

    def double(self) -> Variant:
        """Return the same way in float64."""
        return Variant(f"{self.name}, {DOUBLE}", self.flags, dtype=DOUBLE, gpu=self.gpu)

    def placed(self, mx: Any) -> AbstractContextManager[Any]:
        """Return a context in which arrays and parameters are made where it runs."""
        if self.gpu is None:
            return nullcontext()
        placed: AbstractContextManager[Any] = mx.gpu(self.gpu)
        return placed


EAGER = Variant("eager", None)
COMPILED = Variant("compiled", {})
STATIC = Variant("static_alloc", {"static_alloc": True, "static_shape": True})
REORDERED = Variant("another order", {})
CHANGED = Variant("changed settings", {})
EXPORTED = Variant("exported and imported", {}, exported=True)
EAGER_HALF = Variant("float16, eager", None, dtype="float16")
HALF = Variant("float16", {}, dtype="float16")
#: Variants compared with the eager run, in this order; float16 has an eager run of its own.
FULL = (COMPILED, STATIC, EXPORTED)
GPU_EAGER = Variant("gpu, eager", None, gpu=0)
GPU_COMPILED = Variant("gpu, compiled", {"static_alloc": True, "static_shape": True}, gpu=0)
#: Those compared besides, where a proof asks for a GPU.
ON_GPU = (GPU_EAGER, GPU_COMPILED)


class Runner:
    """Runs versions of a block in the file `path`, all built with the same arguments."""

    def __init__(self, arguments: ConstructorArguments, path: str) -> None:
        self.arguments = arguments
        self.path = path
        #: The graph exported last, as JSON text.
        self.graph: str | None = None
        #: The shapes of its nodes, by their names.
        self.shapes: Mapping[str, Sequence[int]] = {}
        #: The same with its parameters and the inputs of the first call.
        self.exported: Exported | None = None
        #: What ONNX Runtime ran of the compiled block, in words.
        self.share = ""

    def run(self, side: BlockVersion, variant: Variant, plan: CallPlan, engine: int = 0) -> list[Observation]:
        """Return the observations of a plan's calls; `engine` shifts the seed of mxnet's own random numbers."""
        with variant.placed(side.world.mx):
            return self._run(side, variant, plan, engine)

    def _run(self, side: BlockVersion, variant: Variant, plan: CallPlan, engine: int) -> list[Observation]:
        block = build(side.world, side.cls, *self.arguments)
        if variant.dtype:
            try:
                plan = cast_block(block, plan, variant.dtype)
            except Exception as error:
                return [Observation(plan.calls[0], {}, failure(error, self.path))]
        if variant.flags is not None:
            block.hybridize(**variant.flags)
        if variant.exported:
            try:
                block = self._imported(side, block, plan)
            except NotRunError:
                raise
            except Exception as error:
                return [Observation(plan.calls[0], {}, failure(error, self.path))]
        second = partial(self._second, side, variant, block)
        found = observe(side.world, block, plan, self.path, engine=engine, second=second)
        if variant is COMPILED:
            self.share = share(block)
        return found

    def _second(self, side: BlockVersion, variant: Variant, first: Any) -> Any:
        """Return a second instance of the class, None if building it returns the first one again."""
        block = build(side.world, side.cls, *self.arguments, anew=False)
        if block is first:
            return None
        if variant.dtype:
            block.cast(variant.dtype)
        if variant.flags is not None:
            block.hybridize(**variant.flags)
        return block

    def _imported(self, side: BlockVersion, block: Any, plan: CallPlan) -> Imported:
        names = Names(block, plan.reference)
        names.set(side.world, plan.values)
        renamed = {name: parameter.name for name, parameter in names.known.items()}
        values = inputs_of(side.world, plan.inputs, plan.calls[0])
        block(*values)
        try:
            imported = Imported(side.world, block, values, renamed)
        except RuntimeError as error:
            if _UNTRACED in str(error) and own_forward(block) is not None:
                raise NotRunError(
                    "its own `forward` computes without the part that hybridize() compiles",
                    "Say above the class in a comment with what inputs it comes to `hybrid_forward`.",
                ) from error
            raise
        self.graph, self.shapes = imported.graph, imported.shapes
        self.exported = imported.exported._replace(unordered=plan.unordered)
        return imported
