"""Symbol: the outputs of a computation that has not run, with MXNet's own pitfalls.

``+`` requires equal shapes, ``[]`` selects outputs rather than rows, iteration is over outputs, and anything that needs
data raises NotImplementedForSymbol. Unlike MXNet's, messages name the user's line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.attribute import kept, listed
from hybridlint.runtime.base import MXNetError, reported_as_mxnet
from hybridlint.runtime.context import Context, current_context
from hybridlint.runtime.core.numpy_conversion import nested_object
from hybridlint.runtime.core.tensor import TensorInterface
from hybridlint.runtime.symbol.node import SymbolEntry, SymbolNode, auxiliary_nodes, topological

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


class Symbol(TensorInterface):
    """One or more outputs of a symbolic graph."""

    __slots__ = ("__weakref__", "_entries", "_order")
    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, entries: Sequence[SymbolEntry]) -> None:
        self._entries = tuple(entries)
        self._order: Sequence[SymbolNode] | None = None

    @property
    def _nodes(self) -> Sequence[SymbolNode]:
        """The nodes of the graph, inputs first: no node changes its inputs, so that they are found once."""
        if self._order is None:
            self._order = topological(self._entries)
        return self._order

    # -- what it is

    @property
    def name(self) -> str | None:
        """Name of the node, None for a group."""
        nodes = {id(node): node for node, _ in self._entries}
        return next(iter(nodes.values())).name if len(nodes) == 1 else None

    def __repr__(self) -> str:
        name = self.name
        if name is None:
            return f"<{type(self).__name__} group [{', '.join(node.name for node, _ in self._entries)}]>"
        return f"<{type(self).__name__} {name}>"

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return [node.output_name(index) for node, index in self._entries]

    def list_inputs(self) -> list[str]:
        """Return the names of all variables, auxiliary states included, in topological order."""
        return [node.name for node in self._nodes if node.op is None]

    def list_arguments(self) -> list[str]:
        """Return the names of the variables that are not auxiliary states."""
        nodes = self._nodes
        aux = auxiliary_nodes(nodes)
        return [node.name for node in nodes if node.op is None and id(node) not in aux]

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the auxiliary states, such as running statistics."""
        nodes = self._nodes
        aux = auxiliary_nodes(nodes)
        return [node.name for node in nodes if id(node) in aux]

    def get_internals(self) -> Symbol:
        """Return a group of all outputs of all nodes."""
        nodes = self._nodes
        return type(self)([(node, k) for node in nodes for k in range(node.visible)])

    def get_children(self) -> Symbol | None:
        """Return a group of the inputs of the output nodes; None for a variable."""
        nodes = dict.fromkeys(node for node, _ in self._entries)
        entries = [e for node in nodes for e in node.inputs if e is not None]
        return type(self)(entries) if entries else None

    def _gen_atomic_symbol(self) -> Symbol:
        """Return the operator of the only node as a symbol without a name and inputs. Raises MXNetError for others."""
        node = self._entries[0][0]
        if node.op is None or any(other is not node for other, _ in self._entries):
            raise MXNetError("only a symbol of one operator has an atomic symbol")
        alone = replace(node, name="", inputs=[])
        return type(self)([(alone, k) for k in range(alone.visible)])

    # -- attributes

    def attr(self, key: str) -> str | None:
        """Return an attribute of the only node, or None."""
        node = self._entries[0][0]
        return listed({**node.attributes, **node.given}).get(key)

    def list_attr(self, recursive: bool = False) -> dict[str, str]:
        """Return the attributes of the only node. With `recursive` raises DeprecationWarning, as MXNet does."""
        if recursive:
            raise DeprecationWarning("list_attr with recursive=True is no more supported: attr_dict is for all nodes")
        node = self._entries[0][0]
        return listed({**node.attributes, **node.given})

    def attr_dict(self) -> dict[str, dict[str, str]]:
        """Return the attributes of all nodes that have any, by name."""
        found = {node.name: listed({**node.given, **node.attributes}) for node in topological(self._entries)}
        return {name: attributes for name, attributes in found.items() if attributes}

    def _set_attr(self, **attributes: str) -> None:
        for key, value in attributes.items():
            if not isinstance(value, str):
                raise ValueError("Set Attr only accepts string values")
            self._entries[0][0].attributes.update(kept({key: value}))

    # -- outputs

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Symbol]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, index: Any) -> Symbol:
        count = len(self)
        if isinstance(index, slice):
            start = 0 if index.start is None else index.start
            stop = count if index.stop is None else index.stop
            if start >= count or stop > count:
                raise IndexError
            if start == 0 and stop == count and index.step is None:
                return self
            chosen = [self[k] for k in range(start, stop, 1 if index.step is None else index.step)]
            return group(chosen)
        if isinstance(index, str):
            return self._output_called(index)
        if not isinstance(index, int):
            raise TypeError("Symbol only support integer index to fetch i-th output")
        if index >= count:
            raise IndexError
        if index < 0:
            raise MXNetError(f"Symbol only accept nonnegative index, got {index} for {count} output{'s' * (count > 1)}")
        return type(self)([self._entries[index]])

    def _output_called(self, name: str) -> Symbol:
        found = [k for k, output in enumerate(self.list_outputs()) if output == name]
        if not found:
            raise ValueError(f'Cannot find output that matches name "{name}"')
        if len(found) > 1:
            raise ValueError(f'There are multiple outputs with name "{name}"')
        return self[found[0]]

    def __call__(self, *args: Symbol, **kwargs: Any) -> Symbol:
        """Return a copy in which variables are replaced by other symbols, by name, and with `name` the node is renamed.

        Raises TypeError for arguments that are no symbols, MXNetError for a name that no variable has.
        """
        name = kwargs.pop("name", None)
        if not all(isinstance(given, Symbol) for given in (*args, *kwargs.values())):
            raise TypeError("Compose expect `Symbol` as arguments")
        if args and kwargs:
            raise TypeError("compose only accept input Symbols either as positional or keyword arguments, not both")
        named = dict(zip(self.list_arguments(), args, strict=False)) if args else kwargs
        strangers = named.keys() - set(self.list_inputs())
        if strangers:
            raise MXNetError(
                f"Keyword argument name {min(strangers)} not found. Candidate arguments: {self.list_arguments()}"
            )
        return compose(self, named, name)

    def __copy__(self) -> Symbol:
        return type(self)(self._entries)

    def __deepcopy__(self, memo: Any) -> Symbol:
        return type(self)(self._entries)

    def __reduce__(self) -> Any:
        from hybridlint.runtime.serialization import symbol_json

        return symbol_json.loads, (self.tojson(),)

    # -- types

    def infer_shape(self, *args: Any, **kwargs: Any) -> Any:
        """Return shapes of arguments, outputs and auxiliary states; three times None if some cannot be inferred.

        Raises MXNetError for incompatible shapes.
        """
        from hybridlint.runtime.symbol import signature

        return signature.infer_shape(self, args, kwargs, partial=False)

    def infer_shape_partial(self, *args: Any, **kwargs: Any) -> Any:
        """Return shapes like `infer_shape`, with 0 for unknown sizes."""
        from hybridlint.runtime.symbol import signature

        return signature.infer_shape(self, args, kwargs, partial=True)

    def _infer_shape_thoroughly(self, **kwargs: Any) -> Any:
        """Return shapes like `infer_shape_partial`, with all that the rules of operators know."""
        from hybridlint.runtime.symbol import signature

        return signature.infer_shape(self, (), kwargs, partial=True, thorough=True)

    def infer_type(self, *args: Any, **kwargs: Any) -> Any:
        """Return dtypes of arguments, outputs and auxiliary states."""
        from hybridlint.runtime.symbol import signature

        return signature.infer_type(self, args, kwargs)

    def infer_type_partial(self, *args: Any, **kwargs: Any) -> Any:
        """Return dtypes like `infer_type`, None for the unknown ones."""
        from hybridlint.runtime.symbol import signature

        return signature.infer_type(self, args, kwargs, partial=True)

    def _infer_shape_impl(self, partial: bool, *args: Any, **kwargs: Any) -> Any:
        return (self.infer_shape_partial if partial else self.infer_shape)(*args, **kwargs)

    def _infer_type_impl(self, partial: bool, *args: Any, **kwargs: Any) -> Any:
        return (self.infer_type_partial if partial else self.infer_type)(*args, **kwargs)

    # -- running

    def optimize_for(self, backend: str, args: Any = None, aux: Any = None, **options: Any) -> Symbol:
        """Return a copy of the graph: no backend of this runtime replaces parts of it."""
        return type(self)(self._entries)

    def gradient(self, wrt: Sequence[str]) -> Symbol:
        """Raise MXNetError: MXNet implements gradients of executors only."""
        raise MXNetError("not implemented")

    def eval(self, ctx: Any = None, **kwargs: NDArray) -> list[NDArray]:
        """Compile and run on arrays given by name. Raises ValueError if one is missing."""
        return self.bind(ctx or current_context(), kwargs).forward()  # type: ignore[no-any-return]

    def bind(
        self,
        ctx: Any,
        args: Any,
        args_grad: Any = None,
        grad_req: Any = "write",
        aux_states: Any = None,
        group2ctx: Mapping[str, Any] | None = None,
        shared_exec: Any = None,
    ) -> Any:
        """Return an executor of the compiled graph on given arrays. Raises TypeError for other objects."""
        from hybridlint.runtime.executor import Executor

        if not isinstance(ctx, Context):
            raise TypeError("Context type error")

        return Executor(self, args, args_grad, grad_req, aux_states, ctx=ctx, group2ctx=group2ctx)

    def simple_bind(
        self,
        ctx: Any = None,
        grad_req: Any = "write",
        type_dict: Mapping[str, Any] | None = None,
        stype_dict: Mapping[str, str] | None = None,
        group2ctx: Mapping[str, Any] | None = None,
        shared_arg_names: Sequence[str] | None = None,
        shared_exec: Any = None,
        shared_buffer: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Return an executor on zeros of the inferred shapes, or on the memory of other executors.

        Raises RuntimeError if `kwargs` and `type_dict` do not determine all shapes and dtypes.
        """
        from hybridlint.runtime.executor import simple_bind

        shapes = {name: tuple(value) for name, value in kwargs.items() if isinstance(value, (tuple, list))}
        return simple_bind(
            self,
            ctx,
            grad_req,
            shapes,
            type_dict=type_dict,
            stype_dict=stype_dict,
            group2ctx=group2ctx,
            shared_arg_names=shared_arg_names,
            shared_exec=shared_exec,
            shared_buffer=shared_buffer,
        )

    def debug_str(self) -> str:
        """Return the graph as text: outputs, variables and operators in the order of computation."""
        lines = ["Symbol Outputs:"]
        lines += [f"\toutput[{k}]={node.name}({index})" for k, (node, index) in enumerate(self._entries)]
        for node in topological(self._entries):
            if node.op is None:
                lines.append(f"Variable:{node.name}")
                continue
            lines += ["-" * 20, f"Op:{node.op.name}, Name={node.name}", "Inputs:"]
            inputs = [e for e in node.inputs if e is not None]
            lines += [f"\targ[{k}]={source.name}({index}) version=0" for k, (source, index) in enumerate(inputs)]
            lines += ["Attrs:", *(f"\t{key}={value}" for key, value in sorted(node.given.items()))]
        return "\n".join(lines) + "\n"

    # -- files

    def tojson(self, remove_amp_cast: bool = True) -> str:
        """Return the graph as MXNet's symbol JSON, unless told otherwise without the casts of mixed precision."""
        from hybridlint.runtime.serialization import symbol_json
        from hybridlint.runtime.symbol.precision_casts import without

        written = without(topological(self._entries), self._entries) if remove_amp_cast else self._entries
        return symbol_json.dumps(type(self)(written))

    def save(self, fname: Any, remove_amp_cast: bool = True) -> None:
        """Write the graph as MXNet's symbol JSON to a file."""
        content = self.tojson(remove_amp_cast=remove_amp_cast)
        with reported_as_mxnet(fname):
            Path(fname).write_text(content, encoding="utf-8")

    # -- arithmetic and methods

    def split_v2(self, *args: Any, **kwargs: Any) -> Symbol:
        """Split along an axis, as the function `split_v2` does."""
        from hybridlint.runtime.symbol.creation import split_v2

        return split_v2(self, *args, **kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """Return the nested sequence that numpy makes of a Symbol, whose only item is itself a Symbol."""
        return nested_object(self, ())

    def as_in_context(self) -> Symbol:
        """Return the symbol; unlike NDArray's it takes no context."""
        return self

    def as_nd_ndarray(self) -> Symbol:
        """Return the same outputs in the legacy interface."""
        return Symbol(self._entries)

    def as_np_ndarray(self) -> Symbol:
        """Return the same outputs in the interface of numpy mode."""
        from hybridlint.runtime.symbol.numpy.symbol import _Symbol

        return _Symbol(self._entries)


def group(symbols: Sequence[Symbol]) -> Symbol:
    """Return all outputs of several symbols as one. Raises TypeError for anything but a symbol, and for none."""
    if not symbols or any(not isinstance(s, Symbol) for s in symbols):
        raise TypeError("Expected a list of symbols as input")
    return type(symbols[0])([entry for s in symbols for entry in s._entries])


def compose(symbol: Symbol, named: Mapping[str, Symbol], name: str | None = None) -> Symbol:
    """Return a copy of the graph with variables replaced by name; its node is called `name`, unless that is None."""
    made: dict[int, SymbolNode] = {}
    swapped: dict[int, SymbolEntry] = {}

    def moved(entry: SymbolEntry | None) -> SymbolEntry | None:
        if entry is None:
            return None
        return swapped.get(id(entry[0])) or (made.get(id(entry[0]), entry[0]), entry[1])

    for node in topological(symbol._entries):
        if node.op is None:
            if node.name in named:
                swapped[id(node)] = named[node.name]._entries[0]
            continue
        inputs = [moved(e) for e in node.inputs]
        called = name if name is not None and node is symbol._entries[0][0] else node.name
        made[id(node)] = replace(node, name=called, inputs=inputs, attributes=dict(node.attributes))
    return type(symbol)([e for e in map(moved, symbol._entries) if e is not None])
