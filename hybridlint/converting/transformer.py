"""The transformer of a module's syntax tree: classes, functions, layers, operators and methods of tensors."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from hybridlint.converting import recurrent, statements
from hybridlint.converting.containers import local_containers
from hybridlint.converting.context import ConversionContext
from hybridlint.converting.gluon_names import (
    BASES,
    NAMING,
    ImportedNames,
    Kind,
    dotted_name,
    meaning_of,
    operator_meaning,
)
from hybridlint.converting.methods import translate_method
from hybridlint.converting.parameters import parameter_text
from hybridlint.converting.problems import Problem
from hybridlint.converting.references import function_text, partial_text
from hybridlint.converting.scopes import FORWARD, NameScope
from hybridlint.converting.survey import CONCURRENT, expressions, local_names, names_in
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.torch_code.call import ArgumentText, OperatorCall
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.helpers import HELPERS
from hybridlint.runtime.torch_code.layer_call import (
    ACTIVATION_LAYERS,
    TorchLayer,
    builder_of,
)
from hybridlint.runtime.torch_code.layer_functions import layer_reference
from hybridlint.runtime.torch_code.operators.activations import ACTIVATIONS
from hybridlint.runtime.torch_code.table import translation_of
from hybridlint.runtime.torch_code.texts import bound, floated, operand_levels, receiver
from hybridlint.text import cst

if TYPE_CHECKING:
    import libcst

#: Arguments of operators that choose a name or a device.
_WITHOUT_MEANING = {"name", "ctx", "num_args"}
#: Statements about compilation and initialization, which PyTorch's modules do without.
_DROPPED = {"hybridize", "initialize"}


class ModuleTransformer(cst.CSTTransformer):
    """Converts a module; `problems` has what it cannot convert."""

    def __init__(self, context: ConversionContext, needed: Collection[str]) -> None:
        super().__init__()
        self.context = context
        self.needed = needed
        self.problems: list[Problem] = []
        self.scopes = context.scopes
        self._no_expressions: set[int] = set()
        #: How tightly the text of a call has to bind where it is an operand, by its `id`; None: as a name does.
        self._operands: dict[int, int | None] = {}
        #: Names that are called, or passed to `functools.partial`, by their `id`.
        self._called: set[int] = set()
        #: Reasons for which the statement that is being converted has no translation, with rows.
        self.pending: list[tuple[int, str]] = []

    def fail(self, node: libcst.CSTNode, reason: str) -> None:
        """Note that the statement with a node of the original tree has no translation."""
        self.pending.append((self.context.row(node), reason))

    # Definitions

    def visit_ClassDef(self, node: libcst.ClassDef) -> bool:
        """Skip what is not kept."""
        if not self.scopes.stack and self.needed and node.name.value not in self.needed:
            return False
        self.scopes.stack.append(NameScope(node.name.value, block=self.context.blocks.get(node.name.value)))
        self._called |= {id(base.value) for base in node.bases}
        return True

    def visit_ImportFrom(self, node: libcst.ImportFrom) -> bool:
        """Leave imports as they are."""
        return False

    def leave_ClassDef(self, original: libcst.ClassDef, updated: libcst.ClassDef) -> libcst.BaseStatement:
        """Write the bases of a block."""
        if not self.scopes.stack or self.scopes.stack[-1].name != original.name.value:
            return updated
        block = self.scopes.stack.pop().block
        if block is None:
            return self._without_base(original, updated)
        bases = []
        for base in original.bases:
            path = self.context.names.path(base.value) or ""
            text = BASES.get(path)
            bases.append(base if text is None else base.with_changes(value=cst.parse_expression(text)))
        return updated.with_changes(bases=bases)

    def _without_base(self, original: libcst.ClassDef, updated: libcst.ClassDef) -> libcst.ClassDef:
        """Return a class as it is; one that derives from a layer of MXNet raises where it is built, and not before."""
        texts = [dotted_name(base.value) or "" for base in original.bases if self._is_foreign(base.value)]
        if not texts:
            return updated
        row = self.context.row(original)
        reason = f"`{texts[0]}` as a base class has no counterpart"
        self.problems.append(Problem(row, original.name.value, reason))
        message = repr(f"line {row}: {reason}")
        init = cst.parse_statement(f"def __init__(self, *args, **kwargs):\n    raise NotImplementedError({message})\n")
        base = cst.Arg(cst.parse_expression("nn.Module"))
        return updated.with_changes(bases=[base], body=updated.body.with_changes(body=[init]))

    def _is_foreign(self, base: libcst.BaseExpression) -> bool:
        """Whether a base class is one of MXNet's that no class of PyTorch replaces."""
        path = self.context.names.path(base) or ""
        return path.startswith("mxnet.") and path not in BASES

    def visit_FunctionDef(self, node: libcst.FunctionDef) -> bool:
        """Enter a function, with what its arguments mean."""
        if not self.scopes.stack and self.needed and node.name.value not in self.needed:
            return False
        scope = NameScope(node.name.value, function=True)
        names = [parameter.name.value for parameter in node.params.params]
        scope.namespaces = {"F"} & set(names)
        block = self.scopes.block
        if block is not None and node.name.value in FORWARD:
            scope.parameters = set(names) & block.parameters
            scope.inputs = set(names) - {"self", "F"} - scope.parameters
        scope.zeros = {
            parameter.name.value
            for parameter in node.params.params
            if isinstance(parameter.default, cst.Integer) and parameter.default.value == "0"
        }
        scope.locals = set(names) | local_names(node)
        scope.containers = local_containers(node, self.context.layer_or_none, self.context.builds_block)
        self.scopes.stack.append(scope)
        return True

    def leave_FunctionDef(self, original: libcst.FunctionDef, updated: libcst.FunctionDef) -> libcst.BaseStatement:
        """Write the head of a function: without F, without parameters of the block, and without names of blocks."""
        if not self.scopes.stack or self.scopes.stack[-1].name != original.name.value:
            return updated
        scope = self.scopes.stack.pop()
        if self.pending:
            self._note_problems()
        updated = statements.merged_body(updated)
        dropped = {*scope.namespaces, *scope.parameters}
        if self.scopes.block is not None and original.name.value == "__init__":
            used = names_in(updated.body)
            dropped |= NAMING - used
            star = updated.params.star_kwarg
            if star is not None and star.name.value not in used:
                updated = statements.without_star(updated)
        updated = statements.without_parameters(updated, dropped)
        if original.name.value == "hybrid_forward" and self.scopes.block is not None:
            updated = updated.with_changes(name=cst.Name("forward"))
        return updated

    def visit_Lambda(self, node: libcst.Lambda) -> bool:
        """Enter a lambda."""
        names = {parameter.name.value for parameter in node.params.params}
        self.scopes.stack.append(NameScope("<lambda>", namespaces={"F"} & names))
        self.context.compound += 1
        return True

    def leave_Lambda(self, original: libcst.Lambda, updated: libcst.Lambda) -> libcst.BaseExpression:
        """Write a lambda without F."""
        scope = self.scopes.stack.pop()
        self.context.compound -= 1
        written: libcst.BaseExpression = statements.without_parameters(updated, scope.namespaces)
        return written

    def visit_ListComp(self, node: libcst.ListComp) -> bool:
        """Note that the expressions below are computed several times."""
        self.context.compound += 1
        return True

    def leave_ListComp(self, original: libcst.ListComp, updated: libcst.ListComp) -> libcst.BaseExpression:
        """Note the end of such expressions."""
        self.context.compound -= 1
        return updated

    def visit_GeneratorExp(self, node: libcst.GeneratorExp) -> bool:
        """Note that the expressions below are computed several times."""
        self.context.compound += 1
        return True

    def leave_GeneratorExp(self, original: libcst.GeneratorExp, updated: libcst.GeneratorExp) -> libcst.BaseExpression:
        """Note the end of such expressions."""
        self.context.compound -= 1
        return updated

    def visit_If_test(self, node: libcst.If) -> None:
        """Note that nothing can be put before a condition."""
        self.context.compound += 1

    def leave_If_test(self, node: libcst.If) -> None:
        """Note the end of a condition."""
        self.context.compound -= 1

    def visit_While_test(self, node: libcst.While) -> None:
        """Note that nothing can be put before a condition."""
        self.context.compound += 1

    def leave_While_test(self, node: libcst.While) -> None:
        """Note the end of a condition."""
        self.context.compound -= 1

    def visit_For_iter(self, node: libcst.For) -> None:
        """Note that nothing can be put before what a loop goes through."""
        self.context.compound += 1

    def leave_For_iter(self, node: libcst.For) -> None:
        """Note the end of a loop's iterable."""
        self.context.compound -= 1

    def leave_For(self, original: libcst.For, updated: libcst.For) -> Any:
        """Give a loop's number a name if the new code reads it and the old did not."""
        target = original.target
        if not isinstance(target, cst.Name) or target.value != "_" or "_" not in names_in(updated.body):
            return updated
        name = self.scopes.new_name("i")
        return statements.renamed(updated, "_", name)

    # Names that are no expressions

    def visit_Call(self, node: libcst.Call) -> bool:
        """Note what is called: the call is written as a whole."""
        self._called.add(id(node.func))
        if self.context.path(node.func) == "functools.partial" and node.args:
            self._called.add(id(node.args[0].value))
        return True

    def visit_Attribute(self, node: libcst.Attribute) -> bool:
        """Note the name of an attribute."""
        self._no_expressions.add(id(node.attr))
        self._operands[id(node.value)] = None
        return True

    def visit_Subscript(self, node: libcst.Subscript) -> bool:
        """Note what a subscript follows."""
        self._operands[id(node.value)] = None
        return True

    def visit_BinaryOperation(self, node: libcst.BinaryOperation) -> bool:
        """Note the operands."""
        left, right = operand_levels(self.context.code(node.operator))
        self._operands |= {id(node.left): left, id(node.right): right}
        return True

    def visit_UnaryOperation(self, node: libcst.UnaryOperation) -> bool:
        """Note the operand."""
        if not isinstance(node.operator, cst.Not):
            self._operands[id(node.expression)] = None
        return True

    def visit_Arg(self, node: libcst.Arg) -> bool:
        """Note the name of an argument."""
        self._no_expressions.add(id(node.keyword))
        return True

    def visit_Param(self, node: libcst.Param) -> bool:
        """Note the name of a parameter."""
        self._no_expressions.add(id(node.name))
        return True

    def leave_Name(self, original: libcst.Name, updated: libcst.Name) -> libcst.BaseExpression:
        """Write the parameters of a block as its attributes."""
        if id(original) in self._no_expressions:
            return updated
        reference = self._reference(original) if self.scopes.stack else None
        if reference is not None:
            return cst.parse_expression(reference)
        if not self.scopes.is_parameter(original.value):
            return updated
        return cst.Attribute(cst.Name("self"), updated)

    # Expressions

    def leave_Comparison(self, original: libcst.Comparison, updated: libcst.Comparison) -> libcst.BaseExpression:
        """Write a comparison of tensors with the numbers that MXNet's gives."""
        if not self.context.facts.ran(self.context.span(original)):
            return updated
        return cst.parse_expression(floated(self.context.code(updated)))

    def leave_Attribute(self, original: libcst.Attribute, updated: libcst.Attribute) -> libcst.BaseExpression:
        """Write attributes of tensors."""
        reference = self._reference(original)
        if reference is not None:
            return cst.parse_expression(reference)
        name = original.attr.value
        if name == "_children" and dotted_name(original) == "self._children":
            return updated.with_changes(attr=cst.Name("_modules"))
        if self.scopes.function not in FORWARD or self.context.names.is_mxnet(original):
            return updated
        if name in ("context", "ctx"):
            return updated.with_changes(attr=cst.Name("device"))
        if name == "T" and self.context.facts.ran(self.context.span(original)):
            rank = self.context.facts.output_rank(self.context.span(original))
            return updated if rank in (None, 1, 2) else updated.with_changes(attr=cst.Name("mT"))
        return updated

    def _reference(self, original: libcst.Attribute | libcst.Name) -> str | None:
        """Return an operator or a layer's class that is passed on as a value, None for other names."""
        if id(original) in self._called:
            return None
        meaning = self.context.meaning(original)
        if meaning is None or (meaning.operator is None and meaning.kind is not Kind.LAYER):
            return None
        try:
            if meaning.operator is None:
                return layer_reference(meaning.name)
            return function_text(self.context, meaning.operator)
        except NoTranslationError as error:
            self.fail(original, error.reason)
            return None

    def leave_Call(self, original: libcst.Call, updated: libcst.Call) -> libcst.BaseExpression:
        """Write a call: of a layer, an operator, a method of tensors, or a block."""
        try:
            text = self._translated(original, updated)
        except NoTranslationError as error:
            self.fail(original, error.reason)
            return updated
        except (KeyError, ValueError, TypeError, IndexError) as error:
            self.fail(original, f"`{self.context.code(original)[:60]}` is called in an unusual way ({error})")
            return updated
        if text is None:
            return self._plain_call(original, updated)
        if id(original) in self._operands:
            text = bound(text, self._operands[id(original)])
        try:
            node = cst.parse_expression(text)
        except cst.ParserSyntaxError:
            self.fail(original, f"`{self.context.code(original)[:60]}` is called in an unusual way")
            return updated
        return node if isinstance(node, cst.BaseExpression) else updated

    def _translated(self, original: libcst.Call, updated: libcst.Call) -> str | None:
        """Return the text of a call in PyTorch, None if it stays as it is. Raises NoTranslationError."""
        text = dotted_name(original.func) or ""
        meaning = self.context.meaning(original.func)
        if meaning is not None and meaning.kind is Kind.LAYER:
            return self._layer_text(original, updated, meaning.name)
        if meaning is not None and meaning.operator is not None:
            return self._operator_text(original, updated, meaning.operator)
        if self.scopes.is_namespace(text.partition(".")[0]):
            raise NoTranslationError(f"`{text}` has no counterpart in PyTorch")
        function = partial_text(self.context, original, updated)
        if function is not None:
            return function
        own = self._own_text(original, updated, text)
        if own is not None or not isinstance(original.func, cst.Attribute):
            return own
        if recurrent.is_method(self.context, original.func):
            return recurrent.method_text(self.context, original, updated)
        if text.startswith("self.") and text.count(".") == 1:
            return self._child_text(original, updated, text.partition(".")[2])
        return translate_method(self.context, original, updated)

    def _own_text(self, original: libcst.Call, updated: libcst.Call, text: str) -> str | None:
        """Return the text of a call of Gluon's own functions and methods of blocks, None for other calls."""
        path = self.context.path(original.func) or ""
        if path in ("mxnet.autograd.is_training",):
            return "self.training"
        if path.endswith("gluon.loss._apply_weighting"):
            return None
        if path.endswith("gluon.loss._reshape_like"):
            values = [self.context.code(argument.value) for argument in updated.args]
            return f"{receiver(values[-2])}.reshape({receiver(values[-1])}.shape)"
        if text == "" and self.context.code(original.func).endswith(".collect_params().setattr"):
            return self._frozen(updated)
        if text.startswith("self.params.") or path in ("mxnet.gluon.Parameter", "mxnet.gluon.Constant"):
            return parameter_text(self.context, original, updated)
        if _is_super_init(original, self.context.names):
            return "super().__init__()" if self.scopes.block is not None else None
        return self._registered(updated) if text == "self.register_child" else None

    # Operators

    def _operator_text(self, original: libcst.Call, updated: libcst.Call, operator: Operator) -> str:
        return self.context.operator_call(
            operator, updated.args, self.context.facts.input_shapes(self.context.span(original))
        )

    # Layers

    def _layer_text(self, original: libcst.Call, updated: libcst.Call, kind: str) -> str:
        if kind in ("HybridLambda", "Lambda"):
            return self._lambda_text(updated)
        layer = self.context.layer_or_none(original)
        if layer is not None and layer.text == CONCURRENT:
            axis = next((a for a in updated.args if a.keyword is None or a.keyword.value == "axis"), None)
            return "Concurrent()" if axis is None else f"Concurrent(dim={self.context.code(axis.value)})"
        layer = self.context.layer(original, kind)
        if layer.text == "nn.Sequential()" and self._is_list(original):
            return "nn.ModuleList()"
        if len(layer.texts) == 1 or self._is_inline(original):
            return layer.text
        return f"nn.Sequential({', '.join(layer.texts)})"

    def _lambda_text(self, updated: libcst.Call) -> str:
        function = self.context.code(updated.args[0].value)
        if function[:1] in "'\"":
            meaning = operator_meaning((), function[1:-1])
            if meaning is None or meaning.operator is None:
                raise NoTranslationError(f"`Lambda` of the name {function}")
            translate = translation_of(meaning.operator)
            if translate is None:
                raise NoTranslationError(f"`Lambda` of the name {function}")
            function = f"lambda x: {translate(OperatorCall(meaning.operator, [ArgumentText('x')], {}))}"
        plain = re.fullmatch(r"lambda (\w+): ([\w.]+)\(\1\)", function)
        return f"Lambda({plain[2] if plain else function})"

    def _is_list(self, original: libcst.Call) -> bool:
        """Whether a container is an attribute whose blocks the code calls one by one, and never as a whole."""
        block = self.scopes.block
        layer = self.context.known_layer(original)
        return block is not None and any(block.layers.get(name) is layer for name in block.uncalled)

    def _is_inline(self, original: libcst.Call) -> bool:
        """Whether a layer is an attribute, so that its calls can add its activation and flattening."""
        block = self.scopes.block
        if block is None:
            return False
        return any(
            layer is self.context.known_layer(original) and name in block.called and _is_plain(layer)
            for name, layer in block.layers.items()
        )

    # Calls of blocks

    def _child_text(self, original: libcst.Call, updated: libcst.Call, name: str) -> str | None:
        """Return the call of a layer that is an attribute, with what Gluon's layer does besides."""
        block = self.scopes.block
        layer = None if block is None else block.layers.get(name)
        if block is None or layer is None:
            return None
        values = [self.context.code(argument.value) for argument in updated.args]
        if "Cell(" in layer.text:
            # Only a statement that assigns output and states can be written: see `recurrent.step_statements`.
            return None
        if layer.sequences:
            return recurrent.sequence_call(self.context, name, layer, values)
        if name not in block.called or not _is_plain(layer):
            return None
        data = values[0]
        if layer.flattens:
            data = f"{receiver(data)}.flatten(1)"
        if layer.text.startswith("nn.Embedding") and not self._is_whole(original.args[0].value):
            data = f"{receiver(data)}.long()"
        text = f"self.{name}({data})"
        if layer.activation is None:
            return text
        kind = next((kind for kind, made in ACTIVATION_LAYERS.items() if made == layer.activation), None)
        return f"{layer.activation}({text})" if kind is None else f"{ACTIVATIONS[kind]}({text})"

    def _is_whole(self, node: libcst.BaseExpression) -> bool:
        """Whether a value is an input of the block as the caller gave it, which is of whole numbers then."""
        return isinstance(node, cst.Name) and self.scopes.is_input(node.value)

    def _frozen(self, updated: libcst.Call) -> str:
        """Return the statement that sets whether parameters get gradients."""
        key, value = (self.context.code(argument.value).strip("'\"") for argument in updated.args)
        if key != "grad_req" or value not in ("null", "write"):
            raise NoTranslationError(f"`setattr` of `{key}`")
        block = self.context.code(updated.func).removesuffix(".collect_params().setattr")
        return f"{block}.requires_grad_({value == 'write'})"

    def _registered(self, updated: libcst.Call) -> str:
        child = self.context.code(updated.args[0].value)
        if len(updated.args) == 1:
            return f"self.add_module(str(len(self._modules)), {child})"
        return f"self.add_module({self.context.code(updated.args[1].value)}, {child})"

    def _plain_call(self, original: libcst.Call, updated: libcst.Call) -> libcst.Call:
        """Return a call without F among its arguments, and without names for blocks of the module."""
        own = isinstance(original.func, cst.Name) and original.func.value in self.context.blocks
        # A class that an argument holds.
        own = own or (isinstance(original.func, cst.Name) and self.scopes.is_local(original.func.value))
        arguments = [
            argument
            for argument in updated.args
            if not (isinstance(argument.value, cst.Name) and self.scopes.is_namespace(argument.value.value))
            and not (own and argument.keyword is not None and argument.keyword.value in NAMING)
        ]
        if len(arguments) == len(updated.args):
            return updated
        if arguments:
            arguments[-1] = arguments[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return updated.with_changes(args=arguments)

    # Statements

    def leave_SimpleStatementLine(
        self, original: libcst.SimpleStatementLine, updated: libcst.SimpleStatementLine
    ) -> Any:
        """Write a statement: several in its place, none, or the error where it has no translation."""
        if self._is_dropped(original):
            self.pending = []
            return cst.RemoveFromParent()
        if self.scopes.stack and not self.pending:
            leftover = self._leftover(updated)
            if leftover is not None:
                self.fail(original, f"`{leftover}` has no counterpart in PyTorch")
        if self.pending:
            if not self.scopes.stack:
                self._note_problems()
                return updated
            return self._unwritten(original)
        try:
            rewritten = statements.rewritten(self.context, original, updated)
        except NoTranslationError as error:
            self.fail(original, error.reason)
            return self._unwritten(original)
        prelude, self.context.prelude = self.context.prelude, []
        return statements.with_prelude(prelude, rewritten)

    def _unwritten(self, original: libcst.SimpleStatementLine) -> Any:
        reasons = self._note_problems()
        row = self.context.row(original)
        comments = [
            cst.EmptyLine(comment=cst.Comment(f"# {line}" if line else "#"))
            for line in self.context.code(original.with_changes(leading_lines=[])).splitlines()
        ]
        message = json.dumps(f"line {row}: {reasons}", ensure_ascii=False)
        line = cst.parse_statement(f"raise NotImplementedError({message})")
        return line.with_changes(leading_lines=[*original.leading_lines, *comments])

    def _note_problems(self) -> str:
        self.problems += [Problem(row, self.scopes.owner, reason) for row, reason in self.pending]
        reasons = "; ".join(dict.fromkeys(reason for _, reason in self.pending))
        self.pending = []
        return reasons

    def _is_dropped(self, original: libcst.SimpleStatementLine) -> bool:
        part = original.body[0]
        if isinstance(part, cst.Assign) and isinstance(part.targets[0].target, cst.Name):
            return self.context.names_initializer(part.targets[0].target.value)
        if not isinstance(part, cst.Expr) or not isinstance(part.value, cst.Call) or not self.scopes.stack:
            return False
        func = part.value.func
        return isinstance(func, cst.Attribute) and func.attr.value in _DROPPED

    def _leftover(self, updated: libcst.CSTNode) -> str | None:
        """Return a name of MXNet that is left in converted code, None if there is none."""
        for node in expressions(updated):
            if isinstance(node, cst.Attribute | cst.Name) and (self.context.path(node) or "").startswith("mxnet"):
                text = dotted_name(node) or ""
                if text in HELPERS:
                    continue
                meaning = meaning_of(self.context.names.path(node) or "")
                if text.partition(".")[0] not in ("nn", "F") or "." not in text:
                    if text not in ("nn", "F"):
                        return text
                elif meaning is not None and meaning.kind is Kind.LAYER and builder_of(meaning.name) is None:
                    return text
        return None

    def leave_With(self, original: libcst.With, updated: libcst.With) -> Any:
        """Write the body of a `name_scope`, and the modes of autograd as PyTorch's."""
        item = original.items[0].item
        if len(original.items) == 1 and isinstance(item, cst.Call) and isinstance(item.func, cst.Attribute):
            if item.func.attr.value == "name_scope":
                return statements.body_of(updated)
            path = self.context.names.path(item.func) or ""
            if path in ("mxnet.autograd.pause", "mxnet.autograd.predict_mode"):
                call = cst.parse_expression("torch.no_grad()")
                self.pending = []
                return updated.with_changes(items=[updated.items[0].with_changes(item=call)])
        return updated


def _is_plain(layer: TorchLayer) -> bool:
    """Whether a call of a layer can do what the layer does besides: the activation is known."""
    return layer.activation is None or layer.activation in ACTIVATION_LAYERS.values()


def _is_super_init(node: libcst.Call, names: ImportedNames) -> bool:
    func = node.func
    if isinstance(func, cst.Attribute) and func.attr.value == "__init__" and names.path(func.value) in BASES:
        return True
    return (
        isinstance(func, cst.Attribute)
        and func.attr.value == "__init__"
        and isinstance(func.value, cst.Call)
        and isinstance(func.value.func, cst.Name)
        and func.value.func.value == "super"
    )
