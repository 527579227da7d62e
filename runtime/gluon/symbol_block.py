"""SymbolBlock: a block made from a graph, such as one that was exported."""

from __future__ import annotations

from os.path import commonprefix
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.gluon import arrays
from hybridlint.runtime.gluon.hybrid_block import HybridBlock, Trace
from hybridlint.runtime.gluon.param_dict import ParameterDict
from hybridlint.runtime.gluon.structure import flatten, holds, regroup
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.symbol.signature import settled_types
from hybridlint.runtime.symbol.symbol import Symbol, compose, group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridlint.runtime.context import Context


class SymbolBlock(HybridBlock):
    """A block that computes `outputs` (a symbol or list of them) from the variables `inputs`. It is always compiled.

    All other variables are parameters, shared from `params` if present there. Raises AssertionError if an input is not
    a variable.
    """

    def __init__(self, outputs: Any, inputs: Any, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=None, params=None)
        self._prefix = ""
        self._params = ParameterDict("", params)
        outputs = outputs[0] if isinstance(outputs, (list, tuple)) and len(outputs) == 1 else outputs
        variables, in_format = flatten(inputs if isinstance(inputs, (list, tuple)) else [inputs], "input")
        flat, out_format = flatten(outputs, "output")
        for symbol in variables:
            if len(symbol.get_internals().list_outputs()) != 1:
                raise AssertionError(f"Input symbols must be variable, but {symbol} is an output of operators")
        graph = group(flat)
        self._adopt_parameters(graph, {symbol.name for symbol in variables})
        self._fixed_ = Trace(variables, graph, in_format, out_format)
        self._clear_cached_op()

    @staticmethod
    def imports(
        symbol_file: str,
        input_names: str | Sequence[str],
        param_file: str | None = None,
        ctx: Context | Sequence[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> SymbolBlock:
        """Return a block from the files that `HybridBlock.export` writes.

        Raises OSError or MXNetError if a file cannot be read, UnfitFileError if a parameter is missing (unless
        `allow_missing`) or unknown (unless `ignore_extra`).
        """
        from hybridlint.runtime.symbol import load

        names = [input_names] if isinstance(input_names, str) else input_names
        block = SymbolBlock(arrays.in_use(load(symbol_file)), [arrays.variable(name) for name in names])
        if param_file is not None:
            block.collect_params().load(
                param_file,
                ctx=ctx,
                allow_missing=allow_missing,
                ignore_extra=ignore_extra,
                cast_dtype=True,
                dtype_source="saved",
            )
        return block

    def __repr__(self) -> str:
        graph, inputs = self._fixed_.graph, self._fixed_.inputs
        return f"{type(self).__name__}(\n{graph} : {len(inputs)} -> {len(graph)}\n)"

    def forward(self, x: Any, *args: Any) -> Any:
        """Run the compiled graph on arrays, or substitute symbols for the inputs."""
        given = (x, *args)
        if holds(given, NDArray):
            self._active = True
            return self._forward_arrays_(given)
        if not holds(given, Symbol):
            raise ValueError(f"In SymbolBlock, inputs must be NDArrays or Symbols, but got {type(x)}")
        symbols, _form = flatten(list(given), "input")
        names = [symbol.name or "" for symbol in self._fixed_.inputs]
        composed = compose(self._fixed_.graph, dict(zip(names, symbols, strict=True)))
        return regroup(list(composed), self._fixed_.out_format)[0]

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Never called, because the graph already exists."""
        raise NotImplementedError("SymbolBlock has a graph and no hybrid_forward")

    def reset_ctx(self, ctx: Context | Sequence[Context]) -> None:
        """Move all parameters to other contexts."""
        for param in self.collect_params().values():
            param.reset_ctx(ctx)

    def _clear_cached_op(self) -> None:
        super()._clear_cached_op()
        self._trace_ = getattr(self, "_fixed_", None)

    def _adopt_parameters(self, graph: Symbol, inputs: set[str | None]) -> None:
        states = set(graph.list_auxiliary_states())
        dtypes, attributes = _dtypes(graph), graph.attr_dict()
        for name in (*graph.list_arguments(), *graph.list_auxiliary_states()):
            if name not in inputs:
                given = {"dtype": dtypes[name]} if name in dtypes else {}
                if name in states:
                    given["grad_req"] = "null"
                param = self.params.get(name, allow_deferred_init=True, **given)
                if param.stype != "default" or attributes.get(name, {}).get("__storage_type__", "0") != "0":
                    raise AssertionError(
                        f"SymbolBlock doesn't support Parameter '{name}' because its storage type is not 'default'."
                    )
        # As in MXNet, parameter files omit the common prefix of all names.
        cut = len(commonprefix(list(self._params.keys())))  # noqa: RUF071
        self._reg_params = {name[cut:]: param for name, param in self._params.items()}


def _dtypes(graph: Symbol) -> dict[str, Any]:
    """Return the dtypes of variables that the graph determines; none if they depend on the inputs."""
    try:
        arguments, _outputs, states = settled_types(graph, {})
    except MXNetError:
        # Inference without inputs assumes float32, which some operators reject.
        return {}
    names = (graph.list_arguments(), graph.list_auxiliary_states())
    return {
        name: dtype
        for group_names, found in zip(names, (arguments, states), strict=True)
        for name, dtype in zip(group_names, found or (), strict=False)
        if dtype is not None
    }
