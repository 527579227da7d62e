"""Block: a part of a network with parameters and children, executed as plain Python."""

from __future__ import annotations

import re
import warnings
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from hybridlint.runtime import initializer
from hybridlint.runtime.base import UnfitFileError
from hybridlint.runtime.gluon import arrays
from hybridlint.runtime.gluon.hooks import Hook, HookHandle, Hooks
from hybridlint.runtime.gluon.param import Parameter
from hybridlint.runtime.gluon.param_dict import ParameterDict, brief
from hybridlint.runtime.gluon.scope import BlockScope
from hybridlint.runtime.serialization.params import load, save
from hybridlint.runtime.util import is_np_array

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hybridlint.runtime.context import Context


class Block:
    """Base class of layers and networks. Subclasses create children and parameters in `__init__` and define `forward`.

    Attributes that are blocks become children; those that are parameters become the block's own. `prefix` is put before
    the names of the block and its parameters; `params` shares those of another block.
    """

    _has_summary_row_ = True

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        self._empty_prefix = prefix == ""
        self._prefix, self._params = BlockScope.create(prefix, params, self._alias())
        self._name = self._prefix.removesuffix("_")
        self._scope = BlockScope(self)
        self._children: OrderedDict[str, Block] = OrderedDict()
        self._reg_params: dict[str, Parameter] = {}
        self._forward_hooks: Hooks = OrderedDict()
        self._forward_pre_hooks: Hooks = OrderedDict()

    def __repr__(self) -> str:
        lines = [
            f"  ({key}): {indent(repr(value), 2)}" for key, value in self.__dict__.items() if isinstance(value, Block)
        ]
        return f"{type(self).__name__}(\n" + "\n".join(lines) + "\n)"

    def __setattr__(self, name: str, value: Any) -> None:
        existing = getattr(self, name, None)
        if isinstance(existing, (Parameter, Block)) and not isinstance(value, type(existing)):
            raise TypeError(
                f"Changing attribute type for {name} from {type(existing)} to {type(value)} is not allowed."
            )
        if isinstance(value, Block):
            self.register_child(value, name)
        elif isinstance(value, Parameter):
            if name in self._reg_params:
                raise AssertionError(
                    f"Overriding Parameter attribute {name} is not allowed. If you want to share parameters between "
                    "blocks, please set 'params' at Block construction instead."
                )
            self._reg_params[name] = value
        super().__setattr__(name, value)

    def __call__(self, *args: Any) -> Any:
        """Run `forward`, with the hooks before and after it."""
        if self._forward_pre_hooks:
            for hook in list(self._forward_pre_hooks.values()):
                hook(self, args)
        out = self.forward(*args)
        if self._forward_hooks:
            for hook in list(self._forward_hooks.values()):
                hook(self, args, out)
        if is_np_array():
            arrays.require_numpy_mode(out)
        return out

    def forward(self, *args: Any) -> Any:
        """Compute the outputs. Subclasses override this."""
        raise NotImplementedError(f"{type(self).__name__} does not implement forward")

    # -- names, children, parameters

    def _alias(self) -> str:
        return type(self).__name__.lower()

    @property
    def prefix(self) -> str:
        """The prefix of the names of the block's parameters."""
        return self._prefix

    @property
    def name(self) -> str:
        """The prefix without its last underscore."""
        return self._name

    @property
    def params(self) -> ParameterDict:
        """The block's own parameters, without those of its children."""
        return self._params

    def name_scope(self) -> BlockScope:
        """Return a scope in which new blocks get this block's prefix."""
        return self._scope

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Register `block` as a child, named by its number by default."""
        self._children[str(len(self._children)) if name is None else name] = block

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """Return the parameters of the block and its descendants, or those whose names match a regular expression."""
        self._warn_of_containers_()
        found = ParameterDict(self._params.prefix)
        pattern = re.compile(select or "")
        found.update({name: param for name, param in self.params.items() if pattern.match(name)})
        for child in self._children.values():
            found.update(child.collect_params(select=select))
        return found

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """Return parameters by attribute path, such as ``conv1.weight``."""
        prefix += "." if prefix else ""
        found = {prefix + key: param for key, param in self._reg_params.items()}
        for name, child in self._children.items():
            found.update(child._collect_params_with_prefix(prefix + name))
        return found

    def _warn_of_containers_(self) -> None:
        children = set(map(id, self._children.values()))
        for name, value in self.__dict__.items():
            if not isinstance(value, (list, tuple, dict)) or name == "_children":
                continue
            if any(id(block) not in children for block in _blocks_in(value)):
                warnings.warn(
                    f'"{type(self).__name__}.{name}" is an unregistered container with Blocks. Blocks inside a list, '
                    "tuple or dict are not registered automatically: use register_child() or "
                    "nn.Sequential/nn.HybridSequential instead.",
                    stacklevel=3,
                )

    def apply(self, fn: Callable[[Block], Any]) -> Block:
        """Call `fn` on all descendants, deepest first, then on the block itself. Returns the block."""
        for child in self._children.values():
            child.apply(fn)
        fn(self)
        return self

    def initialize(
        self,
        init: Any = initializer.Uniform(),  # noqa: B008
        ctx: Context | Sequence[Context] | None = None,
        verbose: bool = False,
        force_reinit: bool = False,
    ) -> None:
        """Initialize all parameters; `init` is used for those without an initializer of their own."""
        self.collect_params().initialize(init, ctx, verbose, force_reinit)

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Switch compiled execution of hybrid children on or off."""
        for child in self._children.values():
            child.hybridize(active, **kwargs)

    def cast(self, dtype: Any) -> None:
        """Change the dtype of all parameters."""
        for child in self._children.values():
            child.cast(dtype)
        for param in self.params.values():
            param.cast(dtype)

    def register_forward_hook(self, hook: Hook) -> HookHandle:
        """Call ``hook(block, inputs, outputs)`` after each forward. The handle removes it."""
        return HookHandle(self._forward_hooks, hook)

    def register_forward_pre_hook(self, hook: Hook) -> HookHandle:
        """Call ``hook(block, inputs)`` before each forward. The handle removes it."""
        return HookHandle(self._forward_pre_hooks, hook)

    def register_op_hook(self, callback: Hook, monitor_all: bool = False) -> None:
        """Monitor the operators of all hybridized blocks below; see `HybridBlock.register_op_hook`."""
        for child in self._children.values():
            child.register_op_hook(callback, monitor_all)

    def summary(self, *inputs: Any) -> None:
        """Print a table of layers, output shapes and parameter counts for these inputs.

        Raises AssertionError if a block is hybridized.
        """
        from hybridlint.runtime.gluon.summary import summarize

        print(summarize(self, inputs))

    # -- files

    def save_parameters(self, filename: str, deduplicate: bool = False) -> None:
        """Write all parameters to a file by attribute path. With `deduplicate`, a shared one is written once."""
        params = self._collect_params_with_prefix()
        if deduplicate:
            params = {key: param for param, key in {param: key for key, param in params.items()}.items()}
        save(filename, {key: param._reduce() for key, param in params.items()})

    def load_parameters(
        self,
        filename: str,
        ctx: Context | Sequence[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Load parameters from a file written by `save_parameters` or `collect_params().save`.

        Raises MXNetError if the file is damaged: UnfitFileError if a parameter is missing (unless `allow_missing`), is
        unknown (unless `ignore_extra`), or has another shape or dtype.
        """
        loaded = load(filename)
        params = self._collect_params_with_prefix()
        if not loaded and not params:
            return
        if not isinstance(loaded, dict):
            raise UnfitFileError(f"{filename} holds arrays without names")
        if not any("." in name for name in loaded):
            self.collect_params().load_dict(
                loaded, ctx, allow_missing, ignore_extra, self.prefix, filename, cast_dtype, dtype_source
            )
            return
        if not allow_missing:
            present = {param for name, param in params.items() if name in loaded}
            missing = next((name for name, param in params.items() if param not in present), None)
            if missing is not None:
                raise UnfitFileError(
                    f"Parameter '{missing}' is missing in file '{filename}', which contains parameters: "
                    f"{brief(loaded)}. Set allow_missing=True to ignore missing parameters."
                )
        extra = next((name for name in loaded if name not in params), None)
        if extra is not None and not ignore_extra:
            raise UnfitFileError(
                f"Parameter '{extra}' loaded from file '{filename}' is not present in ParameterDict, which contains "
                f"parameters {brief(params)}. Set ignore_extra=True to ignore."
            )
        for name, value in loaded.items():
            if name in params:
                params[name]._load_init(value, ctx, cast_dtype=cast_dtype, dtype_source=dtype_source)

    def save(self, prefix: str) -> None:
        """Write the block structure with its traces, and the parameters: ``prefix-model.json``, ``-model.params``."""
        from hybridlint.runtime.gluon.model_files import save_model

        save_model(self, prefix)

    def load(self, prefix: str) -> None:
        """Load the files of `save` into a model of the same structure: names of children, traces and parameters.

        Raises OSError if a file cannot be read, KeyError if the structure differs.
        """
        from hybridlint.runtime.gluon.model_files import load_model

        load_model(self, prefix)

    def save_params(self, filename: str) -> None:
        """Write parameters by name without the block's prefix. Deprecated: use `save_parameters`."""
        warnings.warn("save_params is deprecated. Please use save_parameters.", UserWarning, stacklevel=2)
        self.collect_params().save(filename, strip_prefix=self.prefix)

    def load_params(
        self,
        filename: str,
        ctx: Context | Sequence[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> None:
        """Read parameters. Deprecated: use `load_parameters`."""
        warnings.warn("load_params is deprecated. Please use load_parameters.", UserWarning, stacklevel=2)
        self.load_parameters(filename, ctx, allow_missing, ignore_extra)


def indent(text: str, spaces: int) -> str:
    """Indent all lines except the first."""
    return text.replace("\n", "\n" + " " * spaces)


def _blocks_in(value: Any) -> Iterator[Block]:
    if isinstance(value, Block):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _blocks_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _blocks_in(item)
