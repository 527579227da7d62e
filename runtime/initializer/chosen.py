"""Initializers that choose: values of a file by name, another initializer by pattern."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridlint.runtime.ndarray.ndarray import NDArray


class Load:
    """Takes values from a dict or a file of arrays, and asks `default_init` for names that are not in it."""

    def __init__(self, param: Any, default_init: Any = None, verbose: bool = False) -> None:
        if isinstance(param, str):
            from hybridlint.runtime.serialization.params import load

            param = load(param)
        self.param = {k[4:] if k.startswith(("arg:", "aux:")) else k: v for k, v in param.items()}
        self.default_init = default_init
        self.verbose = verbose

    def __call__(self, name: str, arr: NDArray) -> None:
        """Fill `arr`. Raises AssertionError if shapes differ, or for an unknown name without a default."""
        found = self.param.get(name)
        if found is None:
            if self.default_init is None:
                raise AssertionError(f"Cannot Initialize {name}. Not found in loaded param and no default Initializer")
            self.default_init(name, arr)
            self._tell_(name, "default")
            return
        if arr.shape != found.shape:
            raise AssertionError(
                f"Parameter {name} cannot be initialized from loading. "
                f"Shape mismatch, target {arr.shape} vs loaded {found.shape}"
            )
        arr[:] = found
        self._tell_(name, "loading")

    def _tell_(self, name: str, source: str) -> None:
        if self.verbose:
            logging.info("Initialized %s by %s", name, source)


class Mixed:
    """Asks the initializer of the first regular expression that matches the name."""

    def __init__(self, patterns: Sequence[str], initializers: Sequence[Any]) -> None:
        if len(patterns) != len(initializers):
            raise AssertionError(f"{len(patterns)} patterns for {len(initializers)} initializers")
        self.map = [(re.compile(p), i) for p, i in zip(patterns, initializers, strict=True)]

    def __call__(self, name: str, arr: NDArray) -> None:
        """Fill `arr`. Raises ValueError if no pattern matches."""
        for pattern, init in self.map:
            if pattern.match(name):
                init(name, arr)
                return
        raise ValueError(f'Parameter name {name} did not match any pattern. Add a ".*" pattern at the end.')
