"""Vectors of float32 in LLVM's IR: what element-wise functions are written with."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import lru_cache
from math import isnan
from typing import Any

from hybridlint.runtime.compiled.engines.jit.llvm import ir


class Lanes:
    """Builds instructions on vectors of so many numbers, at the place where the builder stands."""

    def __init__(self, builder: Any, count: int) -> None:
        self.b = builder
        self.count = count
        self.number = ir().FloatType()
        self.floats = ir().VectorType(self.number, count)
        self.whole = ir().IntType(32)
        self.ints = ir().VectorType(self.whole, count)
        # Constants live as long as the builder, so that no other value gets the identity of one that is known.
        self._constants: list[Any] = []
        self._numbers: set[int] = set()
        self.truth = ir().VectorType(ir().IntType(1), count)

    # -- constants

    def const(self, number: float) -> Any:
        """Return a vector of one number, rounded to float32."""
        found = ir().FormattedConstant(self.floats, "0.0")
        # llvmlite takes the text of a vector for its elements; as a whole it is written many times as fast.
        found.constant = _text(_rounded(number), self.count)
        if not isnan(number):
            self._numbers.add(id(found))
        self._constants.append(found)
        return found

    def bits(self, number: int) -> Any:
        """Return a vector of one integer."""
        return ir().Constant(self.ints, [number - (1 << 32) if number >= 1 << 31 else number] * self.count)

    # -- arithmetic

    def add(self, x: Any, y: Any) -> Any:
        return self.b.fadd(x, y)

    def sub(self, x: Any, y: Any) -> Any:
        return self.b.fsub(x, y)

    def mul(self, x: Any, y: Any) -> Any:
        return self.b.fmul(x, y)

    def div(self, x: Any, y: Any) -> Any:
        return self.b.fdiv(x, y)

    def fma(self, x: Any, y: Any, z: Any) -> Any:
        """Return x * y + z, rounded once where the processor can."""
        return self.intrinsic("fmuladd", x, y, z)

    def intrinsic(self, name: str, *arguments: Any) -> Any:
        """Return the result of one of LLVM's functions on vectors."""
        kind = ir().FunctionType(self.floats, [a.type for a in arguments])
        return self.b.call(self.declared(f"llvm.{name}.v{self.count}f32", kind), arguments)

    def declared(self, name: str, kind: Any) -> Any:
        """Return an external function, declared once."""
        module = self.b.module
        return module.globals[name] if name in module.globals else ir().Function(module, kind, name)

    def polynomial(self, x: Any, coefficients: Sequence[float]) -> Any:
        """Return a polynomial; the coefficient of the highest power comes first."""
        total = self.const(coefficients[0])
        for c in coefficients[1:]:
            total = self.fma(total, x, self.const(c))
        return total

    # -- choice

    def compare(self, sign: str, x: Any, y: Any) -> Any:
        """Return where a comparison holds; with a number that is none, only ``!=`` does."""
        return self.b.fcmp_unordered(sign, x, y) if sign == "!=" else self.b.fcmp_ordered(sign, x, y)

    def select(self, truth: Any, x: Any, y: Any) -> Any:
        return self.b.select(truth, x, y)

    def is_nan(self, x: Any) -> Any:
        return self.b.fcmp_unordered("uno", x, x)

    def maximum(self, x: Any, y: Any) -> Any:
        """Return the larger number; what is no number wins, as in numpy."""
        larger = self.select(self.b.fcmp_unordered(">", x, y), x, y)
        return larger if id(y) in self._numbers else self.select(self.is_nan(y), y, larger)

    def minimum(self, x: Any, y: Any) -> Any:
        """Return the smaller number; what is no number wins, as in numpy."""
        smaller = self.select(self.b.fcmp_unordered("<", x, y), x, y)
        return smaller if id(y) in self._numbers else self.select(self.is_nan(y), y, smaller)

    # -- bits

    def as_bits(self, x: Any) -> Any:
        return self.b.bitcast(x, self.ints)

    def as_floats(self, x: Any) -> Any:
        return self.b.bitcast(x, self.floats)

    def power_of_two(self, exponent: Any) -> Any:
        """Return two to the power of an integer between -126 and 127."""
        return self.as_floats(self.b.shl(self.b.add(exponent, self.bits(127)), self.bits(23)))


def _rounded(number: float) -> float:
    """Return a number rounded to float32, as numpy rounds Python's numbers; infinite beyond its range."""
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


@lru_cache(4096)
def _text(number: float, count: int) -> str:
    """Return a vector of one number as LLVM reads it: the bits of a float64 for each."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", number))
    return f"<{', '.join([f'float {bits:#018x}'] * count)}>"
