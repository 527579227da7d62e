"""Statements and heads of functions that are written otherwise than expression by expression."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.converting import containers, recurrent
from hybridlint.converting.context import ConversionContext
from hybridlint.converting.gluon_names import dotted_name
from hybridlint.converting.survey import names_in
from hybridlint.text import cst

if TYPE_CHECKING:
    import libcst

    from hybridlint.runtime.torch_code.layer_call import TorchLayer


def without_parameters(node: Any, names: Collection[str]) -> Any:
    """Return a function or lambda without some parameters."""
    if not names:
        return node
    params = [parameter for parameter in node.params.params if parameter.name.value not in names]
    if len(params) == len(node.params.params):
        return node
    if params and node.params.star_kwarg is None and isinstance(node.params.star_arg, cst.MaybeSentinel):
        params[-1] = params[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return node.with_changes(params=node.params.with_changes(params=params))


def without_star(function: libcst.FunctionDef) -> libcst.FunctionDef:
    """Return a function that takes no further keyword arguments."""
    changed = function.params.with_changes(star_kwarg=None)
    params = list(changed.params)
    if params and isinstance(changed.star_arg, cst.MaybeSentinel):
        params[-1] = params[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return function.with_changes(params=changed.with_changes(params=params))


def body_of(node: libcst.With) -> Any:
    """Return the statements of a `with` in place of it."""
    block: Any = node.body
    body: list[Any] = (
        list(block.body) if isinstance(block, cst.IndentedBlock) else [cst.SimpleStatementLine(block.body)]
    )
    if body:
        body[0] = body[0].with_changes(leading_lines=[*node.leading_lines, *body[0].leading_lines])
    return cst.FlattenSentinel(body)


def merged_body(function: libcst.FunctionDef) -> libcst.FunctionDef:
    """Return a function in which containers are built with their layers."""
    return function.visit(_Merging())  # type: ignore[return-value]


class _Merging(cst.CSTTransformer):
    """Lays out the containers of each block of statements."""

    def leave_IndentedBlock(self, original: libcst.IndentedBlock, updated: libcst.IndentedBlock) -> Any:
        return updated.with_changes(body=containers.laid_out(updated.body))


def renamed(node: Any, old: str, new: str) -> Any:
    """Return code in which one name is another."""

    class Renaming(cst.CSTTransformer):
        def leave_Name(self, original: libcst.Name, updated: libcst.Name) -> libcst.Name:
            return updated.with_changes(value=new) if original.value == old else updated

    return node.visit(Renaming())


def rewritten(
    context: ConversionContext, original: libcst.SimpleStatementLine, updated: libcst.SimpleStatementLine
) -> Any:
    """Return a statement, or several in its place."""
    if len(original.body) != 1 or len(updated.body) != 1:
        return updated
    before, after = original.body[0], updated.body[0]
    if isinstance(before, cst.Expr) and isinstance(after, cst.Expr):
        return _rewritten_expression(context, before.value, after.value, updated)
    if isinstance(before, cst.Assign) and isinstance(after, cst.Assign) and len(before.targets) == 1:
        return _rewritten_assignment(context, before, after, updated)
    return updated


def with_prelude(texts: Sequence[str], node: Any) -> Any:
    """Return a statement, or several, with others before them."""
    if not texts:
        return node
    nodes = list(node.nodes) if isinstance(node, cst.FlattenSentinel) else [node]
    before = [cst.parse_statement(text) for text in texts]
    before[0] = before[0].with_changes(leading_lines=nodes[0].leading_lines)
    nodes[0] = nodes[0].with_changes(leading_lines=[])
    return cst.FlattenSentinel([*before, *nodes])


def _rewritten_expression(context: ConversionContext, before: Any, after: Any, line: libcst.SimpleStatementLine) -> Any:
    if not isinstance(before, cst.Call) or not isinstance(after, cst.Call):
        return line
    func = before.func
    if isinstance(func, cst.Attribute) and func.attr.value == "add":
        adds_block = any(context.builds_block(argument.value) for argument in before.args)
        if context.scopes.is_container(dotted_name(func.value)) or adds_block:
            return _in_place(line, list(containers.additions(context, before, after)))
    if context.loss_base and context.code(after) == "super().__init__()":
        return _in_place(line, _loss_start(context, before))
    return line


def _loss_start(context: ConversionContext, before: libcst.Call) -> list[str]:
    """Return the statements of a loss's constructor: Gluon's keeps the weight and the batch's axis."""
    texts = ["super().__init__()"]
    for k, (name, attribute) in enumerate((("weight", "_weight"), ("batch_axis", "_batch_axis"))):
        for position, argument in enumerate(before.args):
            keyword = None if argument.keyword is None else argument.keyword.value
            if not argument.star and (keyword == name or (keyword is None and position == k)):
                block = context.scopes.block
                if block is not None and attribute in block.mentioned:
                    texts.append(f"self.{attribute} = {context.code(argument.value)}")
    return texts


def _shared(context: ConversionContext, value: libcst.Call, target: str) -> list[str]:
    """Return the statements that give a layer the weight of another one, whose parameters it takes in Gluon."""
    given = next((a.value for a in value.args if a.keyword is not None and a.keyword.value == "params"), None)
    other = "" if given is None else dotted_name(given) or ""
    if not other.startswith("self.") or not other.endswith(".params") or other.count(".") != 2:
        return []
    block = context.scopes.block
    owner = None if block is None else block.layers.get(other.split(".")[1])
    names = ["weight"] if owner is None or owner.text.startswith("nn.Embedding(") else ["weight", "bias"]
    return [f"{target}.{name} = {other.removesuffix('.params')}.{name}" for name in names]


def _rewritten_assignment(
    context: ConversionContext, before: libcst.Assign, after: libcst.Assign, line: libcst.SimpleStatementLine
) -> Any:
    target = context.code(after.targets[0].target)
    value = before.value
    shared = _shared(context, value, target) if isinstance(value, cst.Call) else []
    if shared:
        return _in_place(line, [context.code(after), *shared])
    if isinstance(value, cst.Call):
        step = recurrent.step_statements(context, before, after)
        if step is not None:
            return _in_place(line, step)
        layer = context.layer_or_none(value)
        if layer is not None and layer.comment is not None:
            comment = cst.EmptyLine(comment=cst.Comment(layer.comment))
            line = line.with_changes(leading_lines=[*line.leading_lines, comment])
        if layer is not None and layer.starts and layer.lazy:
            return _with_comments(line, layer, target)
        if layer is not None and layer.starts:
            place = target if context.code(after.value) == layer.text else f"{target}[{layer.index}]"
            return _in_place(line, [context.code(after), *(start.format(place) for start in layer.starts)])
        text = context.code(after.value)
        if is_constant(context, value) and target.startswith("self."):
            return _in_place(line, [f'self.register_buffer("{target.removeprefix("self.")}", {text})'])
        if text.startswith("nn.Parameter(torch.empty("):
            return _in_place(line, [context.code(after), *_parameter_start(value, target)])
        if text.startswith("self.") and text.endswith(")[0]") and isinstance(after.targets[0].target, cst.Name):
            return _in_place(line, [f"{target}, _ = {text.removesuffix('[0]')}"])
    return line


def is_constant(context: ConversionContext, value: libcst.Call) -> bool:
    """Whether a call makes a constant of a block."""
    text = dotted_name(value.func) or ""
    return text == "self.params.get_constant" or context.path(value.func) == "mxnet.gluon.Constant"


def _with_comments(line: libcst.SimpleStatementLine, layer: TorchLayer, target: str) -> Any:
    """Return a statement with initial values in a comment: a lazy layer has no parameters before its first input."""
    texts = [f"# After a first run: {start.format(target)}" for start in layer.starts if "requires_grad" not in start]
    comments = [cst.EmptyLine(comment=cst.Comment(text)) for text in texts]
    return line.with_changes(leading_lines=[*line.leading_lines, *comments])


def _parameter_start(value: libcst.Call, target: str) -> list[str]:
    from hybridlint.runtime.torch_code.initial_values import initial_value

    for argument in value.args:
        if argument.keyword is not None and argument.keyword.value == "init":
            text = cst.Module([]).code_for_node(argument.value)
            if text != "None":
                return [initial_value(text, target)]
    # Gluon's default where a network is initialized without another one.
    return [f"nn.init.uniform_({target}, -0.07, 0.07)"]


def _in_place(line: libcst.SimpleStatementLine, texts: Sequence[str]) -> Any:
    """Return statements in place of a line, with its comments. A text that is a comment stands before the next one."""
    nodes: list[Any] = []
    leading = list(line.leading_lines)
    for text in texts:
        if text.startswith("#"):
            leading.append(cst.EmptyLine(comment=cst.Comment(text)))
            continue
        nodes.append(cst.parse_statement(text).with_changes(leading_lines=leading))
        leading = []
    nodes[-1] = nodes[-1].with_changes(trailing_whitespace=line.trailing_whitespace)
    return cst.FlattenSentinel(nodes)


__all__ = ["body_of", "merged_body", "names_in", "rewritten", "without_parameters"]
