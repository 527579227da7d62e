"""Optimizers' update operators as generated kernels: one launch over a weight, its gradient and its states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hybridlint.runtime.compiled.engines.cuda.code import MOST_BLOCKS, NAME
from hybridlint.runtime.compiled.engines.cuda.expressions import Statements
from hybridlint.runtime.compiled.engines.cuda.functions import ABILITIES, PRELUDE, stored_type
from hybridlint.runtime.compiled.lowering.updates import Update, UpdateRule, Updates
from hybridlint.runtime.compiled.lowering.values import HALF, ArrayValue
from hybridlint.runtime.platforms import Platform, Raw
from hybridlint.runtime.platforms.numpy_platform import NUMPY
from hybridlint.runtime.platforms.toolkit import Toolkit

_THREADS = 256
_FUNCTION = "update"


def device_updates(platform: Platform, toolkit: Toolkit) -> Updates:
    """Return update operators as functions of a GPU."""

    def fits(raws: Sequence[Raw]) -> bool:
        shape = raws[0].shape
        return raws[0].size > 0 and all(
            raw.shape == shape and raw.dtype.name in ABILITIES.dtypes and raw.flags.c_contiguous for raw in raws
        )

    def make(rule: UpdateRule) -> Update:
        with platform.computing():
            (function,) = toolkit.functions(update_source(rule), [_FUNCTION])

        def update(raws: Sequence[Raw], rates: Sequence[float]) -> Sequence[int]:
            count = raws[0].size
            blocks = min(-(-count // _THREADS), MOST_BLOCKS)
            numbers = map(NUMPY.xp.float32, rule.computed(rates))
            with platform.computing():
                function((blocks,), (_THREADS,), (*map(toolkit.address, raws), *numbers, count))
            return tuple(rule.changed)

        return update

    return Updates(ABILITIES, fits, make)


def update_source(rule: UpdateRule) -> str:
    """Return the source of a function of the arrays, the numbers of the rule, and how many elements there are."""
    names: dict[ArrayValue, str] = {array: f"v{k}" for k, array in enumerate(rule.arrays)}
    numbers = {number: f"n{k}" for k, number in enumerate(rule.numbers)}
    statements = Statements({**names, **numbers})
    results: Mapping[int, str] = {k: statements.named(value) for k, value in rule.changed.items()}
    body = [
        *(f"const float v{k} = to_float(p{k}[at]);" for k in range(len(rule.arrays))),
        *statements.lines,
        *(f"p{k}[at] = {_stored(rule.arrays[k].dtype, name)};" for k, name in results.items()),
    ]
    arrays = [
        f"{'' if k in results else 'const '}{stored_type(array.dtype)}* p{k}" for k, array in enumerate(rule.arrays)
    ]
    given = ", ".join([*arrays, *(f"float {name}" for name in numbers.values()), "long long count"])
    lines = "\n".join(f"        {line}" for line in body)
    text = (
        f'extern "C" __global__ void {NAME}({given})\n{{\n'
        "    const long long all = (long long)gridDim.x * blockDim.x;\n"
        "    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += all) {\n"
        f"{lines}\n    }}\n}}\n"
    )
    return f"{PRELUDE}\n{text.replace(NAME, _FUNCTION, 1)}"


def _stored(dtype: str, name: str) -> str:
    return f"to_half({name})" if dtype == HALF else name
