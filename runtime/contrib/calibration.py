"""Ranges of the values in a network, from what it computes of sample data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.ndarray.ndarray import NDArray

Limits = Mapping[str, tuple[float, float]]


class Collector(Protocol):
    """A receiver of the values of a network, which keeps statistics of them by name."""

    def collect(self, name: str, op_name: str, arr: NDArray) -> None:
        """Keep what matters of an array of values."""


class _LayerOutputMinMaxCollector:
    """The least and largest value of each output that it is shown."""

    def __init__(self) -> None:
        self.min_max_dict: dict[str, tuple[float, float]] = {}

    def collect(self, name: str, op_name: str, arr: NDArray) -> None:
        """Widen the range of an output by the values of an array."""
        low, high = arr.min().asscalar(), arr.max().asscalar()
        known = self.min_max_dict.get(name, (low, high))
        self.min_max_dict[name] = (min(low, known[0]), max(high, known[1]))


@dataclass(frozen=True, slots=True)
class Histogram:
    """Numbers counted in bins of equal width around 0; `low` and `high` are the least and the largest."""

    counts: Any
    edges: Any
    low: float
    high: float

    def with_numbers(self, numbers: Any) -> Histogram:
        """Return the histogram with further numbers, with bins of the same width added at its ends if need be."""
        low, high = min(self.low, float(numbers.min())), max(self.high, float(numbers.max()))
        limit = float(self.edges[-1])
        width = 2 * limit / len(self.counts)
        beyond = max(abs(float(numbers.min())), abs(float(numbers.max()))) - limit
        more = int(beyond // width + 1) if beyond > 0 else 0
        wider = limit + more * width
        counts, edges = np.histogram(numbers, bins=len(self.counts) + 2 * more, range=(-wider, wider))
        counts[more : len(counts) - more] += self.counts
        return Histogram(counts, edges, low, high)


class _LayerHistogramCollector:
    """A histogram of each output that it is shown, of `num_bins` bins over the first array's numbers."""

    def __init__(self, num_bins: int = 8001) -> None:
        self.num_bins = num_bins
        self.hist_dict: dict[str, Histogram] = {}

    def collect(self, name: str, op_name: str, arr: NDArray) -> None:
        """Count the values of an array."""
        numbers = arr.asnumpy().astype("float32")
        known = self.hist_dict.get(name)
        if known is None:
            limit = max(abs(float(numbers.min())), abs(float(numbers.max())))
            counts, edges = np.histogram(numbers, bins=self.num_bins, range=(-limit, limit))
            known = Histogram(counts, edges, float(numbers.min()), float(numbers.max()))
            self.hist_dict[name] = known
        else:
            self.hist_dict[name] = known.with_numbers(numbers)


#: How many integers tell the numbers of a range: those of int8 but one, and for a range without negative numbers more.
_INTEGERS = 255


def limits_by_entropy(histograms: Mapping[str, Histogram], quantized_dtype: str) -> Limits:
    """Return the ranges that lose least where integers represent numbers, see ``nd.contrib.calibrate_entropy``."""
    found = {}
    for name, given in histograms.items():
        positive = given.low >= 0 and quantized_dtype in {"auto", "uint8"}
        integers = 2 * _INTEGERS + 1 if positive else _INTEGERS
        counts, edges = nd.array(given.counts), nd.array(given.edges)
        threshold = float(nd.contrib.calibrate_entropy(counts, edges, num_quantized_bins=integers)[0].asscalar())
        found[name] = (0.0 if positive else -threshold, threshold)
    return found
