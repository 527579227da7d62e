"""Methods of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from hybridlint.converting.context import ConversionContext
from hybridlint.converting.gluon_names import dotted_name
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.operators.elementwise import cast
from hybridlint.runtime.torch_code.operators.shapes import code_texts, reshaped, reshaped_from_the_end
from hybridlint.runtime.torch_code.texts import receiver
from hybridlint.text import cst

if TYPE_CHECKING:
    import libcst


#: The shapes of the inputs of an operator, as far as they are known.
Shapes: TypeAlias = Sequence[Sequence[int] | None]
#: Methods of arrays that are no operators.
_OWN = {
    "asscalar": "{}.item()",
    "asnumpy": "{}.detach().cpu().numpy()",
    "copy": "{}.clone()",
    "item": "{}.item()",
}
#: Functions whose names are methods of tensors too, but whose receivers are most often something else.
_AMBIGUOUS = {"split", "copy", "format", "sort", "item"}


def translate_method(context: ConversionContext, original: libcst.Call, updated: libcst.Call) -> str | None:
    """Return a method of a tensor in PyTorch, None if the call is none. Raises NoTranslationError."""
    func, changed = original.func, updated.func
    if not isinstance(func, cst.Attribute) or not isinstance(changed, cst.Attribute):
        return None
    name = func.attr.value
    span = context.span(original)
    ran = context.facts.ran(span)
    if not ran and not _is_likely(context, func, name):
        return None
    data = context.code(changed.value)
    if name == "data" and not updated.args:
        return data
    if name in _OWN and not updated.args:
        return _OWN[name].format(receiver(data))
    if name == "reshape":
        return _reshape(context, updated, data, context.facts.input_shapes(span))
    if name == "astype":
        return _astype(context, updated, data)
    if name in ("as_in_context", "as_in_ctx", "as_nd_ndarray", "as_np_ndarray"):
        return f"{receiver(data)}.to({context.code(updated.args[0].value)})" if updated.args else data
    if name == "transpose":
        return _transpose(context, updated, data, context.facts.input_shapes(span))
    operator = lookup.method(name)
    if operator is None:
        return None
    return context.operator_call(operator, updated.args, context.facts.input_shapes(span), data)


def _is_likely(context: ConversionContext, func: libcst.Attribute, name: str) -> bool:
    """Whether a method of this name is one of a tensor, in code that no run has met."""
    scopes = context.scopes
    within = scopes.function not in ("", "__init__", "__repr__") and (
        scopes.block is not None or any(scope.namespaces for scope in scopes.stack)
    )
    text = dotted_name(func.value) or ""
    if not within or context.names.path(func) is not None or text == "self":
        return False
    if name == "data":
        return text.startswith("self.")
    return name not in _AMBIGUOUS and not text.startswith("self._")


def _reshape(
    context: ConversionContext, updated: libcst.Call, data: str, shapes: Sequence[Sequence[int] | None]
) -> str:
    texts = []
    reverse = False
    for argument in updated.args:
        if argument.star:
            raise NoTranslationError("a reshape with a star")
        if argument.keyword is not None and argument.keyword.value == "reverse":
            reverse = context.code(argument.value) == "True"
            continue
        if argument.keyword is not None and argument.keyword.value != "shape":
            raise NoTranslationError(f"a reshape with `{argument.keyword.value}`")
        texts.append(context.code(argument.value))
    codes = code_texts(texts[0]) if len(texts) == 1 else texts
    if reverse:
        return reshaped_from_the_end(receiver(data), codes, len(shapes[0]) if shapes and shapes[0] else None)
    if codes is None:
        # The shape of another tensor, or a name.
        if ".shape" in texts[0]:
            return f"{receiver(data)}.reshape({texts[0]})"
        codes = [texts[0]] if texts[0].isidentifier() else None
    shape = shapes[0] if shapes else None
    return reshaped(receiver(data), codes, None if shape is None else len(shape))


def _astype(context: ConversionContext, updated: libcst.Call, data: str) -> str:
    text = context.code(updated.args[0].value)
    plain = text.strip("'\"").removeprefix("np.").removeprefix("numpy.")
    if plain in ("float", "int"):
        plain = {"float": "float64", "int": "int64"}[plain]
    if plain.endswith(".dtype"):
        return f"{receiver(data)}.to({text})"
    if not plain.isidentifier():
        raise NoTranslationError(f"a cast to `{text}`")
    return cast(data, plain)


def _transpose(
    context: ConversionContext, updated: libcst.Call, data: str, shapes: Sequence[Sequence[int] | None]
) -> str:
    operator = lookup.method("transpose")
    assert operator is not None
    arguments = updated.args
    if len(arguments) > 1 or (len(arguments) == 1 and isinstance(arguments[0].value, cst.Integer)):
        items = ", ".join(context.code(argument.value) for argument in arguments)
        arguments = [cst.Arg(cst.parse_expression(f"({items},)"))]
    return context.operator_call(operator, arguments, shapes, data)
