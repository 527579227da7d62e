"""The environment of a test: environment variables, retries, available hardware."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hybridlint.runtime import context
from hybridlint.runtime.context import Context


@contextlib.contextmanager
def environment(*args: Any) -> Iterator[None]:
    """Set environment variables inside a with block: a name and a value, or a mapping; None removes a variable."""
    wanted: Mapping[str, str | None] = args[0] if len(args) == 1 else {args[0]: args[1]}
    before = {name: os.environ.get(name) for name in wanted}
    _set(wanted)
    try:
        yield
    finally:
        _set(before)


def _set(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = str(value)


def getenv(name: str) -> str | None:
    """Return the value of an environment variable, None if it is not set."""
    return os.environ.get(name)


def setenv(name: str, value: str | None) -> None:
    """Set an environment variable; None removes it."""
    _set({name: value})


def set_default_context(ctx: Context) -> None:
    """Make `ctx` the context of everything that is created from now on."""
    context.set_default(ctx)


def list_gpus() -> range:
    """Return the numbers of usable GPUs."""
    return range(context.num_gpus())


def retry(n: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate a test on random data: it passes if one of `n` runs does. Raises ValueError unless n is positive."""
    if n < 1:
        raise ValueError(f"a test runs at least once, got {n}")

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(*args: Any, **kwargs: Any) -> None:
            for _ in range(n - 1):
                with contextlib.suppress(AssertionError):
                    return test(*args, **kwargs)
            return test(*args, **kwargs)

        return run

    return decorate


@contextlib.contextmanager
def discard_stderr() -> Iterator[None]:
    """Discard standard error output inside a ``with`` block."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stderr(nowhere):
        yield


def has_tvm_ops() -> bool:
    """Return whether operators compiled by TVM exist: never here."""
    return False


def is_op_runnable() -> bool:
    """Return whether operators that need a new GPU can run: always on a CPU."""
    return True


def is_cd_run() -> bool:
    """Return whether this is a run of MXNet's own release pipeline: never here."""
    return False


def is_aarch64_run() -> bool:
    """Return whether this is a run of MXNet's own pipeline on 64-bit ARM: never here."""
    return False
