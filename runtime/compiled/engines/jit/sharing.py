"""Which kernels threads share, into how many shares, and along which of their loops."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hybridlint.runtime.compiled.engines.jit.kernels import Convolve, NativeProduct, Together
from hybridlint.runtime.compiled.lowering.kernels import Fold, Kernel, Loop

#: A loop with so many iterations is split rather than one within it.
_ENOUGH = 16
#: Nanoseconds that a kernel takes at least if it is shared, that a share takes, and that all shared ones of a run take
#: if other threads are woken for it.
_KERNEL, _SHARE, _RUN = 5_000, 2_500, 60_000
_MOST_SHARES = 256
#: Threads that wait for each other after kernels which take so long lose little by it.
_LONG = 250_000
#: Nanoseconds, roughly: for a vector that is loaded or stored, a function of one, and a product that is added to a sum.
_ACCESS, _FUNCTION, _PRODUCT = 0.75, 0.5, 0.25


def shared_axis(counts: Sequence[int]) -> int | None:
    """Return which of nested loops is split, given their iterations: the first that is long enough, else the longest.

    None if there is none that can be split.
    """
    longest = max(counts, default=1)
    if longest < 2:
        return None
    return next(k for k, count in enumerate(counts) if count >= min(longest, _ENOUGH))


def shares_of(kernel: Kernel, lanes: int) -> int:
    """Return into how many shares a kernel is split for threads: 1 if it is too short to be split.

    The number depends on the kernel alone, not on the threads that are there.
    """
    cost = _cost(kernel, lanes)
    if cost < _KERNEL:
        return 1
    return kernel.shares if isinstance(kernel, Convolve) else int(min(max(cost // _SHARE, 2), _MOST_SHARES))


def worth_waking(kernels: Sequence[Kernel], lanes: int) -> bool:
    """Return whether consecutive kernels have enough work to share that waking other threads pays."""
    return sum(_cost(kernel, lanes) for kernel in kernels if shares_of(kernel, lanes) > 1) >= _RUN


def worth_chaining(kernels: Sequence[Kernel], lanes: int) -> bool:
    """Return whether threads had better take rows through kernels than share these one by one, in smaller parts."""
    taken = sum(_cost(kernel, lanes) for kernel in kernels)
    return 2 * _KERNEL <= taken <= len(kernels) * _LONG


def _cost(kernel: Kernel, lanes: int) -> float:
    """Return about how many nanoseconds one thread takes."""
    vectors = prod(kernel.sizes) / lanes
    if isinstance(kernel, NativeProduct):
        return vectors * (prod(kernel.inner) * _PRODUCT + _ACCESS)
    if isinstance(kernel, Convolve):
        return vectors * ((kernel.form.width / kernel.form.size) ** 2 * kernel.channels * _PRODUCT + _ACCESS)
    loops = kernel.parts if isinstance(kernel, Together) else (kernel,)
    functions = sum(loop.tree.functions for loop in loops if isinstance(loop, (Loop, Fold)))
    return vectors * (_ACCESS * sum(1 for _ in kernel.accesses()) + _FUNCTION * functions)
