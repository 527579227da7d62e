"""Values for constructor arguments, guessed from their name, annotation or description in a docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from hybridlint.proving.child.errors import NotRunError

#: Parameter name, or a part of it between underscores -> expressions to try, the likeliest first.
_GUESSES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"act(ivation|_type|_func)?|nonlinearity", ('"relu"', "nn.Activation('relu')", "None")),
    (r"(norm|bn|batch_?norm)(_layer|_class|_type)?|normalization", ("nn.BatchNorm", '"batch"', "nn.BatchNorm()")),
    (r"(?:\w+_)?(?:batch_?size|bsz|bs|batch)(?:_\w+)?", ("2", "4", "1")),
    (r"layout", ('"NCHW"', '"NTC"')),
    (r"dtype", ('"float32"',)),
    (r"ctx|device", ("mx.cpu()",)),
    (r"context", ("mx.cpu()", "4")),
    (r"prefix", ('"net_"',)),
    (r"params", ("None",)),
    (r"\w*(kwargs|config|cfg|options)", ("None", "{}")),
    (r"(use|is|has|with|no|do|enable)_\w+|\w*(bias|flag|training|pretrained)", ("False", "True")),
    (r"\w*(rate|prob|alpha|beta|gamma|weight|ratio|margin|sigma|std|tau|threshold|temperature|quantile)s",
     ("[0.1, 0.3]", "0.5", "[0.5, 0.5]")),
    (r"p|\w*(rate|dropout|drop|prob|alpha|beta|gamma|eps|epsilon|momentum|ratio|scale|weight|lam|lambda|margin|temp\w*|"
     r"threshold|slope|std|sigma|tau)s?", ("0.5", "1", "[0.5, 0.5]")),
    (r"\w+_kernels|(?:\w+_)?kernel_sizes", ("[3, 3]", "3", "(3, 3)")),
    (r"(kernel|filter|pool|window)(_size|s)?|ksize", ("3", "(3, 3)", "1")),
    (r"strides?|dilations?|groups?|repeats?|depth|order", ("1", "(1, 1)", "2")),
    (r"pad(ding)?s?", ("1", "(1, 1)", "0")),
    (r"shape|\w+_shape", ("(4,)", "(3, 4)", "(3, 8, 8)")),
    (r"axis|dim_axis", ("1", "-1", "0")),
    (r"axes", ("(0, 1)", "(1, 0)")),
    (r"\w*(block|body|net|network|model|layer|cell|encoder|decoder|backbone|base|fn|func|module|head|tower|"
     r"stem)", ("nn.Dense(4)", "nn.Conv2D(4, 3, padding=1)", "2")),
    (r"\w*(blocks|nets|cells|modules)", ("2", "[nn.Dense(4), nn.Dense(4)]")),
    (r"\w*(layers|channels?|sizes|units|filters|dims|features|stages|hiddens|widths|anchors|scales|outputs|classes)",
     ("4", "[4, 4]", "(3, 4, 4)", "[1, 1, 1, 1]")),
    (r"(?:\w+_)?(?:size|dim|width|height|count|length|len)|(?:num|n|max|min)_\w+", ("4", "2", "8", "[4, 4]")),
    (r"mode|\w*type|name|method|reduction|kind", ('"mean"', '"sum"', "None", "1")),
    (r"loss|loss_fn|criterion", ("gluon.loss.L2Loss()",)),
    (r"mean|std|means|stds", ("0.5", "(0.5, 0.5, 0.5)")),
)  # fmt: skip
#: The name of a list, such as `units_list`; its items are guessed from the name without the ending.
_MANY = re.compile(r"(\w+)_(?:list|lst)")
_NUMBER = r"\w*(channels|units|size|dim|width|features|filters)"
_OF_INPUTS = r"in_\w*(?:channels|units|size|dim|width|features|filters)|(?:num|n)_in\w*"
#: Values to try for an argument whose name says nothing.
ANYTHING = ("4", "2", "0.5", '"relu"', "nn.Dense(4)", "[4, 4]", "None")
_QUOTED = re.compile(r"'([\w.+\- ]{1,30})'|\"([\w.+\- ]{1,30})\"")
#: The first type in an annotation such as `Union[int, list]`, if it is a number, bool or string.
_FIRST = re.compile(r"\s*(?:optional\[|union\[)*\s*(int|integer|float|bool|str|string)\b\s*(?:,|\bor\b|\||\])")
#: Type in lower case -> expressions; the first match counts.
_KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"ndarray|numpy|mx\.nd|tensor|symbol", ("nd.ones((4, 4))", "nd.ones((4,))", "np.ones((4, 4))")),
    (r"(list|sequence|tuple|iterable|collection)\W.*\b(list|tuple|sequence)", ("[(1, 4), (1, 4)]", "[[4, 4], [4, 4]]")),
    (r"(list|sequence|iterable|collection)\W.*\b(block|layer|cell)s?\b", ("[nn.Dense(4), nn.Dense(4)]",)),
    (r"(list|sequence|iterable|collection)\W.*\b(str|strings?)\b", ('["a", "b"]',)),
    (r"(tuple)\W.*\b(str|strings?)\b", ('("a", "b")',)),
    (r"(list|sequence|iterable|collection)\W.*\bfloats?\b", ("[0.5, 0.5]", "[0.5, 0.5, 0.5]")),
    (r"(list|sequence|iterable|collection)\W.*\bbool", ("[True, False]",)),
    (r"\bdict|mapping|ordereddict", ("{}", '{"a": 4}')),
    (r"callable|function", ("F_OR_LAYER",)),
    (r"context|\bctx\b", ("mx.cpu()",)),
    (r"initializer", ("mx.init.Normal()", "None")),
    (r"\b(str|string)\b", ("TEXT",)),
    (r"\bbool(ean)?\b", ("False", "True")),
    (r"\b(int|integer)s?\b.*\b(list|tuple|sequence)", ("INT", "(1, 1)", "[4, 4]")),
    (r"\btuple", ("(4, 4)", "(1, 1)", "(4, 4, 4)")),
    (r"\b(list|sequence|iterable|collection)", ("[4, 4]", "[1, 1, 1, 1]")),
    (r"\b(int|integer|number of)\b", ("INT",)),
    (r"\b(float|double|number|scalar|real)\b", ("0.5", "1")),
    (r"\b(hybrid)?block\b|\blayer\b", ("LAYER",)),
    (r"\bvector\b", ("nd.ones((4,))",)),
    (r"\bmatrix\b", ("nd.ones((4, 4))",)),
)


def _compiled(
    table: tuple[tuple[str, tuple[str, ...]], ...],
) -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    return tuple((re.compile(pattern), values) for pattern, values in table)


# Compiled when this is imported, so that the copies of a process need not.
_BY_NAME = _compiled(_GUESSES)
_BY_KIND = _compiled(_KINDS)
_OF_KIND = {"INT": r"-?\d+", "TEXT": r"\".*\"", "LAYER": r"nn\..*", "F_OR_LAYER": r"nn\..*"}
_ELSE = {
    "INT": ("4", "2"),
    "TEXT": ('"relu"', '"mean"', '"a"'),
    "LAYER": ("nn.Dense(4)", "nn.Conv2D(4, 3, padding=1)"),
    "F_OR_LAYER": ("nn.Dense(4)", "nn.BatchNorm"),
}


def plain_parameters(cls: Any) -> list[inspect.Parameter]:
    """Return the named parameters of a constructor. Raises NotRunError if it has no signature.

    Parameters of a base class that are passed through ``**kwargs`` come last and count as optional, because the class
    may pass them itself.
    """
    try:
        parameters = list(inspect.signature(cls).parameters.values())
    except (TypeError, ValueError) as error:
        raise NotRunError(f"the constructor has no signature that can be read: {error}") from error
    found = {p.name: p for p in parameters if p.kind in _PLAIN}
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        for parameter in _inherited(cls):
            found.setdefault(parameter.name, parameter)
    return list(found.values())


def names(cls: Any) -> list[str]:
    """Return the parameter names of a constructor, an empty list if it has no signature."""
    try:
        return [parameter.name for parameter in plain_parameters(cls)]
    except NotRunError:
        return []


_PLAIN = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _inherited(cls: Any) -> Iterator[inspect.Parameter]:
    constructors = [vars(base)["__init__"] for base in getattr(cls, "__mro__", ())[:-1] if "__init__" in vars(base)]
    for constructor in constructors[1:]:
        try:
            parameters = list(inspect.signature(constructor).parameters.values())[1:]
        except (TypeError, ValueError):
            return
        for parameter in parameters:
            if parameter.kind in _PLAIN:
                yield parameter.replace(default=None if parameter.default is parameter.empty else parameter.default)
        if not any(p.kind is p.VAR_KEYWORD for p in parameters):
            return


def downloads(parameter: inspect.Parameter) -> bool:
    """Whether the parameter's default downloads weights."""
    return "pretrained" in parameter.name and parameter.default is True


def is_open(parameter: inspect.Parameter) -> bool:
    """Whether a parameter is a number, by its name, whose default means "not specified".

    That is None, or 0 for a size or number of inputs.
    """
    name, default = parameter.name, parameter.default
    if default is None:
        return re.fullmatch(_NUMBER, name) is not None
    return default is not False and default == 0 and re.fullmatch(_OF_INPUTS, name) is not None


def annotation_text(parameter: inspect.Parameter) -> str:
    """Return the annotation of a parameter as text, "" if there is none."""
    annotation = parameter.annotation
    if annotation is parameter.empty:
        return ""
    if isinstance(annotation, type) and not getattr(annotation, "__args__", None):
        return annotation.__name__
    return str(annotation).replace("typing.", "")


def by_name(name: str) -> tuple[str, ...]:
    """Return expressions for an argument of this name, the likeliest first."""
    many = _MANY.fullmatch(name.lower())
    if many is not None:
        return tuple(f"[{one}, {one}]" for one in by_name(many[1]) if one != "None")
    for pattern, values in _BY_NAME:
        if pattern.fullmatch(name.lower()):
            return values
    return ANYTHING


def is_block(kind: str) -> bool:
    """Whether a type means any block, so that it does not tell how to call the block."""
    return re.fullmatch(r"(\w+\.)*(hybrid)?block", kind.strip().lower()) is not None


def by_kind(kind: str, name: str) -> Iterator[str]:
    """Yield expressions for an argument by its type, as given in an annotation or at the start of its description."""
    named = by_name(name)
    yield from (repr(left or right) for left, right in _QUOTED.findall(kind) if not kind.startswith("default"))
    plain = re.sub(r"\bdefaults?\b.*", "", kind.lower())
    first = _FIRST.match(plain)
    plain = first[1] if first else plain
    for pattern, values in _BY_KIND:
        if pattern.search(plain):
            for value in values:
                fitting = _OF_KIND.get(value)
                if fitting is None:
                    yield value
                else:
                    yield from (guess for guess in named if re.fullmatch(fitting, guess))
                    yield from _ELSE[value]
            return
