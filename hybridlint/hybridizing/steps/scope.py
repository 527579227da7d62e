"""The base class of all steps: a libcst transformer that knows the class and function around each node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from hybridlint.hybridizing.candidates import FUNCTIONS
from hybridlint.text.concrete import code
from hybridlint.text.syntax import expression

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import Value
    from hybridlint.hybridizing.plan import ConversionPlan


class ConversionScope(cst.CSTTransformer):
    """Walks a file and keeps the names of the classes and functions around each node."""

    def __init__(self, plan: ConversionPlan) -> None:
        super().__init__()
        self.plan = plan
        self._around: list[tuple[str, cst.CSTNode]] = []
        self._values: dict[str, Value] = {}
        #: The arguments of functions around the node; their default values are computed where the function is defined.
        self._heads: list[cst.Parameters] = []

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        """Enter a class."""
        self._around.append((node.name.value, node))

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        """Enter a function."""
        self._around.append((node.name.value, node))

    def visit_Parameters(self, node: cst.Parameters) -> None:
        """Enter the arguments of a function."""
        self._heads.append(node)

    def leave_Parameters(self, original_node: cst.Parameters, updated_node: cst.Parameters) -> cst.Parameters:
        """Leave the arguments of a function."""
        self._heads.pop()
        return updated_node

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.BaseStatement:
        """Leave a class."""
        changed = self.of_class(self.owner, updated_node)
        self._around.pop()
        return changed

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> cst.BaseStatement:
        """Leave a function."""
        changed = self.of_function(updated_node) if self.outermost is original_node else updated_node
        self._around.pop()
        return changed

    def of_class(self, name: str, node: cst.ClassDef) -> cst.ClassDef:
        """Return the class to put in place of `node`; steps override this. `name` is its qualified name."""
        return node

    def of_function(self, node: cst.FunctionDef) -> cst.FunctionDef:
        """Return the method or module function to put in place of `node`; steps override this."""
        return node

    @property
    def outermost(self) -> cst.FunctionDef | None:
        """The method or module function around the node; functions nested in it do not count."""
        return next((node for _, node in self._around if isinstance(node, cst.FunctionDef)), None)

    @property
    def owner(self) -> str:
        """The qualified name of the class around the node, "" outside of classes."""
        names = []
        for name, node in self._around:
            if isinstance(node, cst.FunctionDef):
                break
            names.append(name)
        return ".".join(names)

    @property
    def method(self) -> str:
        """The name of the outermost function around the node, "" outside of functions."""
        return "" if self.outermost is None else self.outermost.name.value

    @property
    def traced(self) -> bool:
        """Whether the node is in the body of a method or function that runs during a trace."""
        return not self._in_head and (self.owner, self.method) in self.plan.traced

    @property
    def _in_head(self) -> bool:
        """Whether the node is among the arguments of the outermost function around it."""
        return self.outermost is not None and any(head is self.outermost.params for head in self._heads)

    @property
    def this(self) -> str:
        """The name of the first argument of the method around the node, "" outside of methods."""
        function = self.outermost
        if function is None or not self.owner or not function.params.params:
            return ""
        return function.params.params[0].name.value

    def is_this(self, node: cst.CSTNode) -> bool:
        """Whether an expression is the method's first argument."""
        return isinstance(node, cst.Name) and bool(self.this) and node.value == self.this

    def value(self, node: cst.BaseExpression) -> Value | None:
        """Return the value that the analysis finds for a dotted name; None for any other expression."""
        if not is_dotted(node):
            return None
        text = code(node)
        if text not in self._values:
            self._values[text] = self.plan.module.expression(expression(text))
        return self._values[text]


def is_dotted(node: cst.BaseExpression) -> bool:
    """Whether an expression is a name, or names with dots between."""
    while isinstance(node, cst.Attribute):
        node = node.value
    return isinstance(node, cst.Name)


def is_super(node: cst.BaseExpression) -> bool:
    """Whether an expression is a call of ``super``."""
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "super"


def named_argument(name: str, value: cst.BaseExpression) -> cst.Arg:
    """Return a keyword argument of a call."""
    plain = cst.SimpleWhitespace("")
    return cst.Arg(value, cst.Name(name), cst.AssignEqual(plain, plain))


def functions_argument() -> cst.Arg:
    """Return F as the first argument of a call."""
    return cst.Arg(cst.Name(FUNCTIONS))
