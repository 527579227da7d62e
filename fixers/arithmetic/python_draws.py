"""Numbers that Python or numpy draws, and the functions of F that draw the same."""

from __future__ import annotations

import ast
from enum import Enum

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.toolkit.arguments import by_name
from hybridlint.fixers.toolkit.imports import imported_path
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst


class Distribution(Enum):
    """A distribution, by the name of its function of F."""

    UNIFORM = "uniform"
    NORMAL = "normal"


#: Functions that draw one number or, with ``size``, an array -> the distribution and the names of their arguments.
_BY_SIZE: dict[str, tuple[Distribution, tuple[str, ...]]] = {
    "numpy.random.uniform": (Distribution.UNIFORM, ("low", "high", "size")),
    "numpy.random.normal": (Distribution.NORMAL, ("loc", "scale", "size")),
    "numpy.random.random": (Distribution.UNIFORM, ("size",)),
    "numpy.random.random_sample": (Distribution.UNIFORM, ("size",)),
    "random.random": (Distribution.UNIFORM, ()),
    "random.uniform": (Distribution.UNIFORM, ("low", "high")),
    "random.gauss": (Distribution.NORMAL, ("loc", "scale")),
    "random.normalvariate": (Distribution.NORMAL, ("loc", "scale")),
}
#: Functions that take the sizes of an array one by one.
_BY_SIZES = {"numpy.random.rand": Distribution.UNIFORM, "numpy.random.randn": Distribution.NORMAL}


@record(frozen=True, slots=True)
class PythonDraw:
    """A distribution, its settings by name, and the sizes of the array or None for one number."""

    distribution: Distribution
    settings: dict[str, ast.expr]
    shape: ast.expr | None = None

    def written(self, frame: CodeContext) -> cst.BaseExpression:
        """Return the function of F that draws the same, one number as a tensor of one element."""
        parts = [by_name(name, frame.concrete(value)) for name, value in self.settings.items()]
        shape = expression("(1,)") if self.shape is None else _concrete_shape(frame, self.shape)
        template = "{F}.random.{name}({parts})"
        parts.append(by_name("shape", shape))
        return expression(template, F=frame.functions, name=self.distribution.value, parts=parts)


def draw_of(frame: CodeContext, call: ast.Call) -> PythonDraw | None:
    """Return the draw of a call of a function of Python or numpy; None for other calls."""
    function = imported_path(frame, dotted_parts(call.func) or ())
    if any(isinstance(arg, ast.Starred) for arg in call.args) and function not in _BY_SIZES:
        return None
    if function in _BY_SIZES:
        match call.args:
            case []:
                shape: ast.expr | None = None
            case [ast.Starred(value=whole)]:
                shape = whole
            case [*sizes]:
                shape = ast.Tuple(sizes, ast.Load())
        return None if call.keywords else PythonDraw(_BY_SIZES[function], {}, shape)
    if function not in _BY_SIZE:
        return None
    distribution, names = _BY_SIZE[function]
    given = {**dict(zip(names, call.args, strict=False)), **{k.arg or "": k.value for k in call.keywords}}
    if len(call.args) > len(names) or not given.keys() <= {*names}:
        return None
    size = given.pop("size", None)
    nothing = isinstance(size, ast.Constant) and size.value is None
    return PythonDraw(distribution, given, None if nothing else size)


def _concrete_shape(frame: CodeContext, shape: ast.expr) -> cst.BaseExpression:
    if isinstance(shape, ast.Tuple) and not hasattr(shape, "lineno"):
        return expression("({sizes},)", sizes=[frame.concrete(size) for size in shape.elts])
    return frame.concrete(shape)
