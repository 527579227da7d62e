"""What the real MXNet makes of arrays beside a number in numpy mode, eagerly and hybridized.

    PYTHON_WITH_MXNET tests/analysis/beside_numbers.py

writes into `beside_numbers.json` which operators give another dtype or other values in the two runs. Python 3.8.
"""

from __future__ import annotations

import json
import operator
from pathlib import Path
from typing import Any

ANSWERS = Path(__file__).with_suffix(".json")
DTYPES = ("bool", "int8", "uint8", "int32", "int64", "float32", "float64")
NUMBERS = (2, 2.0, 1.5, -1.5, True)
OPERATORS = {
    **{"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "%": operator.mod},
    **{"**": operator.pow, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le},
    **{">": operator.gt, ">=": operator.ge},
}
FUNCTIONS = (
    *("add", "subtract", "multiply", "mod", "remainder", "power", "maximum", "minimum", "hypot", "arctan2", "ldexp"),
    *("true_divide", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
)


def names() -> list[tuple[str, str, float, bool]]:
    """Return all questions: the dtype, the operator or function, the number, and whether the number stands first."""
    everything = [*OPERATORS, *FUNCTIONS]
    return [(d, o, n, first) for d in DTYPES for o in everything for n in NUMBERS for first in (False, True)]


def main() -> None:
    """Ask, and write the questions whose answers differ."""
    import mxnet as mx  # type: ignore[import-not-found,import-untyped,unused-ignore]

    mx.npx.set_np()

    def answer(question: tuple[str, str, float, bool], hybrid: bool) -> str:
        dtype, name, number, first = question

        class Net(mx.gluon.HybridBlock):  # type: ignore[misc,unused-ignore]
            def hybrid_forward(self, F: Any, x: Any) -> Any:
                compute = OPERATORS[name] if name in OPERATORS else getattr(F.np, name)
                return compute(number, x) if first else compute(x, number)

        net = Net()
        if hybrid:
            net.hybridize()
        values = [0, 1, 2, 3, 5] if dtype.startswith("u") else [0, 1] if dtype == "bool" else [-3, -2, -1, 0, 1, 2, 3]
        try:
            result = net(mx.np.array(values).astype(dtype))
        except (TypeError, ValueError, mx.MXNetError):
            return "raises"
        return f"{result.dtype} {result.asnumpy().tolist()}"

    differing = [q for q in names() if answer(q, hybrid=False) not in {answer(q, hybrid=True), "raises"}]
    lines = ",\n".join(json.dumps(question) for question in differing)
    ANSWERS.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
