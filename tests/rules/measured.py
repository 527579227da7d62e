"""The measured examples of the rules' pages: sessions that call a block eagerly and hybridized.

A page about a silent difference has a section *Measured*: the code of a block (a body of `hybrid_forward`, or a class
with what it needs), then a session with it. In the session `eager` and `hybridized` are two such blocks, built alike:
`eager(x)` gives the outputs as lists, `eager.gradient(x)` the gradient of their sum by the first argument,
`eager.training(x)` the outputs of a call under ``autograd.record()``, `eager.second(x)` those of arrays on ``cpu(1)``.

    PYTHON_WITH_MXNET -m tests.rules.measured

runs them on the real MXNet 1.9.1. Python 3.8.
"""

from __future__ import annotations

import doctest
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

RULES = Path(__file__).resolve().parents[2] / "rules"
_SECTION = re.compile(r"^Measured:\n\n((?:    .*(?:\n|$)|\n)+)", re.MULTILINE)


class Net:
    """A block that takes and gives plain lists."""

    def __init__(self, mx: Any, code: str, hybrid: bool) -> None:
        scope: dict[str, Any] = {"__name__": "example", "mx": mx, "autograd": mx.autograd, "nd": mx.nd}
        scope.update(nn=mx.gluon.nn, HybridBlock=mx.gluon.HybridBlock)
        exec(compile(code, "example.py", "exec"), scope)
        self.mx = mx
        self.block = [c for c in scope.values() if isinstance(c, type) and c.__module__ == "example"][-1]()
        self.block.initialize(mx.init.One())
        if hybrid:
            self.block.hybridize()

    def __call__(self, *given: Any) -> Any:
        """Return the outputs of a call."""
        return plain(self.block(*map(self._array, given)))

    def training(self, *given: Any) -> Any:
        """Return the outputs of a call under ``autograd.record()``."""
        with self.mx.autograd.record():
            return plain(self.block(*map(self._array, given)))

    def second(self, *given: Any) -> Any:
        """Return the outputs of a call with arrays on ``cpu(1)``."""
        with self.mx.cpu(1):
            arrays = [self._array(value) for value in given]
        return plain(self.block(*arrays))

    def gradient(self, *given: Any) -> Any:
        """Return the gradient of the sum of the outputs by the first argument."""
        arrays = [self._array(value) for value in given]
        arrays[0].attach_grad()
        with self.mx.autograd.record():
            result = self.block(*arrays)
        result.backward()
        return plain(arrays[0].grad)

    def _array(self, value: Any) -> Any:
        return self.mx.np.array(value) if self.mx.util.is_np_array() else self.mx.nd.array(value)


def plain(value: Any) -> Any:
    """Return arrays as nested lists of numbers with four significant digits."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "asnumpy"):
        return plain(value.asnumpy().tolist())
    number = float(f"{value:.4g}")
    return int(number) if number.is_integer() else number


def section(page: str) -> tuple[str, str] | None:
    """Return the code and the session of a page's measured example; None where it has none."""
    found = _SECTION.search(page + "\n")
    if found is None:
        return None
    code, _, session = textwrap.dedent(found.group(1)).strip("\n").partition("\n\n>>> ")
    return code, ">>> " + session


def module_of(code: str, session: str) -> str:
    """Return a block's code as a module."""
    if re.search(r"^class ", code, re.MULTILINE):
        return code
    called = re.search(r"(?:eager|hybridized)[.\w]*\(([\w, ]*)\)", session)
    assert called is not None, "the session calls no block"
    head = f"class Net(HybridBlock):\n    def hybrid_forward(self, F, {called.group(1)}):\n"
    return head + textwrap.indent(code, " " * 8)


def differences(mx: Any, name: str, page: str) -> str:
    """Return what of a page's session comes out otherwise than it says; empty where all is as it says."""
    example = section(page)
    assert example is not None, f"{name} has no measured example"
    module = module_of(*example)
    # Draws that are shown in few digits may be alike by chance.
    mx.random.seed(7)
    scope = {"mx": mx, "eager": Net(mx, module, hybrid=False), "hybridized": Net(mx, module, hybrid=True)}
    told: list[str] = []
    test = doctest.DocTestParser().get_doctest(example[1] + "\n", scope, name, None, None)
    doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(test, out=told.append)
    mx.npx.reset_np()
    return "".join(told)


def main() -> None:
    """Run all sessions on the library that this interpreter has."""
    import mxnet as mx  # type: ignore[import-not-found,import-untyped,unused-ignore]

    failed = ""
    for path in sorted(RULES.glob("*.py")):
        # Rules are written for a newer Python: their text is read, and not their syntax.
        page = path.read_text(encoding="utf-8").split('"""')[1] if path.stem != "__init__" else ""
        if section(page) is not None:
            failed += differences(mx, path.stem, page)
    sys.exit(failed or 0)


if __name__ == "__main__":
    main()
