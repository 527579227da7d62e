"""Vectors of float32 in LLVM's IR, with which element-wise functions are written."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isnan
from typing import Any

from hybridlint.runtime.compiled.engines.jit.llvm import ir

#: Added to a small number, it leaves none of its fraction: the lowest bit represents 1. And its bits.
_SHIFT, _SHIFT_BITS = 1.5 * 2**23, 0x4B400000
#: Only AVX-512 has vectors of so many numbers.
_AVX512 = 16
#: There are no shorter vectors than of so many numbers.
_SHORTEST = 4


def shortest_lanes(count: int, lanes: int) -> int:
    """Return the length of vectors for this many numbers: half the usual length if that is enough."""
    half = lanes // 2
    # Two of these take the time of one.
    return half if count <= half >= _SHORTEST else lanes


class Lanes:
    """Builds instructions on vectors of a given number of elements, at the builder's position.

    A vector may represent several `registers` of the processor, on which an instruction becomes as many.
    """

    def __init__(self, builder: Any, count: int, registers: int = 1) -> None:
        self.b = builder
        self.count, self.registers = count, registers
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

    # -- vectors for several registers

    def together(self, vectors: Sequence[Any]) -> Any:
        """Return the numbers of vectors after each other, as one vector; there are two to the power of something."""
        while len(vectors) > 1:
            size = 2 * vectors[0].type.count
            order = ir().Constant(ir().VectorType(self.whole, size), [*range(size)])
            vectors = [self.b.shuffle_vector(a, b, order) for a, b in zip(vectors[::2], vectors[1::2], strict=True)]
        return vectors[0]

    def parts(self, vector: Any, count: int) -> list[Any]:
        """Return the elements of a vector as a given number of shorter vectors."""
        size = vector.type.count // count
        kind = ir().VectorType(self.whole, size)
        orders = (ir().Constant(kind, [*range(k * size, (k + 1) * size)]) for k in range(count))
        return [self.b.shuffle_vector(vector, vector, order) for order in orders]

    # -- choice

    def compare(self, sign: str, x: Any, y: Any) -> Any:
        """Return where a comparison holds; with a number that is none, only ``!=`` does."""
        return self.b.fcmp_unordered(sign, x, y) if sign == "!=" else self.b.fcmp_ordered(sign, x, y)

    def select(self, truth: Any, x: Any, y: Any) -> Any:
        return self.b.select(truth, x, y)

    def is_nan(self, x: Any) -> Any:
        return self.b.fcmp_unordered("uno", x, x)

    def maximum(self, x: Any, y: Any) -> Any:
        """Return the larger number; nan wins, as in numpy."""
        return self._extreme(">", x, y)

    def minimum(self, x: Any, y: Any) -> Any:
        """Return the smaller number; nan wins, as in numpy."""
        return self._extreme("<", x, y)

    def _extreme(self, sign: str, x: Any, y: Any) -> Any:
        """Return x where a comparison holds or x is no number, else y."""
        if id(y) in self._numbers:
            return self.select(self.b.fcmp_unordered(sign, x, y), x, y)
        # Processors have one instruction for this.
        found = self.select(self.b.fcmp_ordered(sign, x, y), x, y)
        return found if id(x) in self._numbers else self.select(self.is_nan(x), x, found)

    # -- bits

    def as_bits(self, x: Any) -> Any:
        return self.b.bitcast(x, self.ints)

    def as_floats(self, x: Any) -> Any:
        return self.b.bitcast(x, self.floats)

    # -- powers of two

    def nearest(self, x: Any, factor: float) -> Whole:
        """Return the whole numbers nearest to a product, which are below 2**21; what is no number stays in `number`."""
        bits = self.fma(x, self.const(factor), self.const(_SHIFT))
        return Whole(self.sub(bits, self.const(_SHIFT)), bits)

    def power_of_two(self, n: Whole) -> Any:
        """Return two to the power of whole numbers between -126 and 127."""
        return self._power(self.as_bits(n.shifted))

    def scaled(self, x: Any, n: Whole) -> Any:
        """Return x times two to the power of whole numbers. The power may be outside the range of a float32."""
        if self.registers > 1:
            one = Lanes(self.b, self.count // self.registers)
            parts = (self.parts(vector, self.registers) for vector in (x, n.number, n.shifted))
            return self.together([one.scaled(y, Whole(*whole)) for y, *whole in zip(*parts, strict=True)])
        if self.count == _AVX512:
            every, nearest = ir().Constant(ir().IntType(16), -1), ir().Constant(self.whole, 4)
            given = [x, n.number, x, every, nearest]
            kind = ir().FunctionType(self.floats, [value.type for value in given])
            return self.b.call(self.declared("llvm.x86.avx512.mask.scalef.ps.512", kind), given)
        # In two steps, so that results below the smallest normal number and infinity come out.
        whole = self.b.sub(self.as_bits(n.shifted), self.bits(_SHIFT_BITS))
        half = self.b.ashr(whole, self.bits(1))
        return self.mul(self.mul(x, self._power(half)), self._power(self.b.sub(whole, half)))

    def _power(self, exponent: Any) -> Any:
        """Return two to the power of the lowest bits of integers."""
        return self.as_floats(self.b.add(self.b.shl(exponent, self.bits(23)), self.bits(0x3F800000)))


@dataclass(frozen=True, slots=True)
class Whole:
    """Whole numbers as a vector, and the same with so much added that they are its lowest bits."""

    number: Any
    shifted: Any


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
