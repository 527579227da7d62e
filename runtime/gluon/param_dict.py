"""Dictionaries of parameters with a common name prefix, optionally sharing another dictionary's parameters."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.runtime import initializer
from hybridlint.runtime.base import UnfitFileError
from hybridlint.runtime.core.operator_params import dtype_name
from hybridlint.runtime.gluon.constant import Constant
from hybridlint.runtime.gluon.param import Parameter
from hybridlint.runtime.gluon.shapes import merge, normalize
from hybridlint.runtime.serialization.params import load, save

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hybridlint.runtime.context import Context
    from hybridlint.runtime.ndarray.ndarray import NDArray

#: Attributes that must agree when a parameter is requested again.
_ATTRIBUTES = ("grad_req", "shape", "dtype", "lr_mult", "wd_mult", "init")


class ParameterDict:
    """The parameters of a block by full name. `shared` is searched before a new parameter is created."""

    def __init__(self, prefix: str = "", shared: ParameterDict | None = None) -> None:
        self._prefix = prefix
        self._params: OrderedDict[str, Parameter] = OrderedDict()
        self._shared = shared

    def __repr__(self) -> str:
        name = self._prefix + " " if self._prefix else ""
        content = "\n".join(f"  {p}" for p in self.values())
        return f"{name}(\n{content}\n)"

    def __getitem__(self, key: str) -> Parameter:
        return self._params[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def __contains__(self, key: object) -> bool:
        return key in self._params

    def items(self) -> Any:
        """Return names with parameters."""
        return self._params.items()

    def keys(self) -> Any:
        """Return names."""
        return self._params.keys()

    def values(self) -> Any:
        """Return parameters."""
        return self._params.values()

    @property
    def prefix(self) -> str:
        """The prefix of the names of new parameters."""
        return self._prefix

    def get(self, name: str, **kwargs: Any) -> Parameter:
        """Return the parameter called prefix + `name`, creating it from the keyword arguments if needed.

        Raises AssertionError if it exists with other attributes.
        """
        name = self._prefix + name
        found = self._find(name)
        if found is None:
            found = self._params[name] = Parameter(name, **kwargs)
            return found
        for key in _ATTRIBUTES:
            if kwargs.get(key) is not None:
                _agree(found, key, kwargs[key])
        return found

    def get_constant(self, name: str, value: Any = None) -> Constant:
        """Return the constant called prefix + `name`, creating it from `value` if needed.

        Raises KeyError if it does not exist and `value` is None, AssertionError if it exists with another value or is
        not a constant.
        """
        name = self._prefix + name
        found = self._find(name)
        if found is None:
            if value is None:
                raise KeyError(
                    f"No constant named '{name}'. Please specify value if you want to create a new constant."
                )
            made = Constant(name, value)
            self._params[name] = made
            return made
        if not isinstance(found, Constant):
            raise AssertionError(f"Parameter '{name}' already exists but it is not a constant.")
        if value is not None and not np.array_equal(_values(value), found.value.asnumpy()):
            raise AssertionError(f"Constant '{name}' already exists but its value doesn't match new value")
        return found

    def update(self, other: Any) -> None:
        """Add the parameters of another dictionary. Raises AssertionError if a name is already another parameter's."""
        for name, param in other.items():
            if self._params.setdefault(name, param) is not param:
                raise AssertionError(
                    f"Cannot update self with other because they have different Parameters with the same name '{name}'"
                )

    def initialize(
        self,
        init: Any = initializer.Uniform(),  # noqa: B008
        ctx: Context | Sequence[Context] | None = None,
        verbose: bool = False,
        force_reinit: bool = False,
    ) -> None:
        """Initialize all parameters; `init` is used for those without an initializer of their own."""
        if verbose:
            init.set_verbosity(verbose=verbose)
        for param in self.values():
            param.initialize(None, ctx, init, force_reinit=force_reinit)

    def zero_grad(self) -> None:
        """Set all gradients to 0."""
        for param in self.values():
            param.zero_grad()

    def reset_ctx(self, ctx: Context | Sequence[Context]) -> None:
        """Move all parameters to other contexts."""
        for param in self.values():
            param.reset_ctx(ctx)

    def list_ctx(self) -> list[Context]:
        """Return all contexts that hold a parameter."""
        return list(dict.fromkeys(ctx for param in self.values() for ctx in param.list_ctx()))

    def setattr(self, name: str, value: Any) -> None:
        """Set an attribute, such as ``grad_req``, on all parameters."""
        for param in self.values():
            setattr(param, name, value)

    def save(self, filename: str, strip_prefix: str = "") -> None:
        """Write all values to a file, with `strip_prefix` removed from the names.

        Raises ValueError if a name does not start with it.
        """
        named = {}
        for param in self.values():
            value = param._reduce()
            if not param.name.startswith(strip_prefix):
                raise ValueError(
                    f"Prefix '{strip_prefix}' is to be striped before saving, but Parameter's name '{param.name}' does "
                    "not start with it"
                )
            named[param.name[len(strip_prefix) :]] = value
        save(filename, named)

    def load(
        self,
        filename: str,
        ctx: Context | Sequence[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Load values from a file, adding `restore_prefix` to the names in it. See `load_dict`."""
        self.load_dict(
            load(filename), ctx, allow_missing, ignore_extra, restore_prefix, filename, cast_dtype, dtype_source
        )

    def load_dict(
        self,
        param_dict: Any,
        ctx: Context | Sequence[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        filename: str | None = None,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Load values by name; ``arg:`` and ``aux:`` prefixes are dropped.

        Raises UnfitFileError if a parameter is missing (unless `allow_missing`), a name is unknown (unless
        `ignore_extra`), or a shape or dtype does not fit.
        """
        origin = f"file: {filename}" if filename else "param_dict"
        for name in self.keys():
            if not name.startswith(restore_prefix):
                raise UnfitFileError(
                    f"restore_prefix is '{restore_prefix}' but Parameters name '{name}' does not start with "
                    f"'{restore_prefix}'"
                )
        given: Mapping[str, NDArray] = {
            restore_prefix + (k[4:] if k.startswith(("arg:", "aux:")) else k): v for k, v in dict(param_dict).items()
        }
        self._check_names(given, origin, allow_missing, ignore_extra, len(restore_prefix))
        for name, value in given.items():
            if name in self._params:
                self._params[name]._load_init(value, ctx, cast_dtype=cast_dtype, dtype_source=dtype_source)

    def _check_names(
        self, given: Mapping[str, Any], origin: str, allow_missing: bool, ignore_extra: bool, cut: int
    ) -> None:
        missing = next((name for name in self.keys() if name not in given), None)
        if missing is not None and not allow_missing:
            raise UnfitFileError(
                f"Parameter '{missing[cut:]}' is missing in {origin}, which contains parameters: "
                f"{brief(name[cut:] for name in given)}. Source and target networks must have the same prefix."
            )
        extra = next((name for name in given if name not in self._params), None)
        if extra is not None and not ignore_extra:
            raise UnfitFileError(
                f"Parameter '{extra[cut:]}' loaded from {origin} is not present in ParameterDict, choices are: "
                f"{brief(name[cut:] for name in self.keys())}. Set ignore_extra to True to ignore. Make sure that "
                "source and target networks have the same prefix."
            )

    def _find(self, name: str) -> Parameter | None:
        if name in self._params:
            return self._params[name]
        if self._shared is None:
            return None
        found = self._shared._find(name)
        if found is not None:
            self._params[name] = found
        return found


def brief(names: Any, limit: int = 7) -> str:
    """Return quoted names, abbreviated in the middle if there are many."""
    listed = [f"'{name}'" for name in names]
    if len(listed) > limit:
        listed = [*listed[: limit // 2], "...", *listed[-limit // 2 :]]
    return ", ".join(listed)


def _agree(param: Parameter, key: str, value: Any) -> None:
    """Check an attribute against that of an existing parameter, or set it if it is unset there.

    Raises AssertionError if the two differ.
    """
    stored = getattr(param, key)
    if stored is None:
        setattr(param, key, value)
        return
    if key == "shape":
        wanted = normalize(value)
        merged = wanted and merge(param._shape, wanted)
        if merged is not None:
            param._shape = merged
            return
    elif value == stored or (key == "dtype" and dtype_name(value) == dtype_name(stored)):
        return
    raise AssertionError(
        f"Cannot retrieve Parameter '{param.name}' because desired attribute does not match with stored for "
        f"attribute '{key}': desired '{value}' vs stored '{stored}'."
    )


def _values(value: Any) -> Any:
    return value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value, dtype=np.float32)
