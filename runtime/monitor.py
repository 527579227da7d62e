"""``mx.mon``: monitoring of arrays in bound graphs during training."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

from hybridlint.runtime.base import py_str
from hybridlint.runtime.ndarray import NDArray


class Monitor:
    """Records ``stat_func(array)`` every `interval` batches, for operator outputs and parameters matching `pattern`.

    With `monitor_all`, operator inputs are recorded too. The default function is the mean magnitude. Gradients of an
    operator's inputs are its ``backward_output``s.
    """

    def __init__(
        self,
        interval: int,
        stat_func: Callable[[NDArray], Any] | None = None,
        pattern: str = ".*",
        sort: bool = False,
        monitor_all: bool = False,
    ) -> None:
        self.interval, self.sort, self.monitor_all = interval, sort, monitor_all
        self.stat_func = stat_func or (lambda x: x.norm() / (x.size**0.5))
        self.re_prog = re.compile(pattern)
        self.activated = False
        self.step = 0
        self.queue: list[tuple[int, str, Any]] = []
        self.exes: list[Any] = []

    def stat_helper(self, name: str | bytes, array: NDArray) -> None:
        """Record an array, if the batch is monitored."""
        name = py_str(name) if isinstance(name, bytes) else name
        if self.activated and self.re_prog.match(name):
            self.queue.append((self.step, name, self.stat_func(array)))

    def install(self, exe: Any) -> None:
        """Monitor an executor."""
        exe.set_monitor_callback(self.stat_helper, self.monitor_all)
        self.exes.append(exe)

    def tic(self) -> None:
        """Begin a batch. It is monitored if the interval is complete."""
        if self.step % self.interval == 0:
            self.queue = []
            self.activated = True
        self.step += 1

    def toc(self) -> list[tuple[int, str, str]]:
        """End a batch and return the records: batch number, name, value as text."""
        if not self.activated:
            return []
        for exe in self.exes:
            for name, array in {**exe.arg_dict, **exe.aux_dict}.items():
                self.stat_helper(name, array)
        self.activated = False
        queue = sorted(self.queue, key=lambda entry: entry[1]) if self.sort else self.queue
        self.queue = []
        return [(number, name, _text(kept)) for number, name, kept in queue]

    def toc_print(self) -> None:
        """End a batch and log the records."""
        for number, name, text in self.toc():
            logging.info("Batch: %7d %-30s %s", number, name, text)


def _text(kept: Any) -> str:
    values = kept if isinstance(kept, list) else [kept]
    if not all(isinstance(value, NDArray) for value in values):
        raise AssertionError("stat_func must return an NDArray or a list of them")
    return "".join(f"{v.asscalar() if v.size == 1 else v.asnumpy()}\t" for v in values)
