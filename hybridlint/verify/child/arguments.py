"""Constructor arguments of a block: those of a recipe, else defaults, else plain guesses by name and annotation."""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from hybridlint.verify.child.choices import choices
from hybridlint.verify.child.errors import NotRunError

#: Combinations of guesses that are tried at most.
MOST = 24
#: Guesses for one argument, where the source speaks of some.
MOST_GUESSES = 4

#: Name of a parameter (a part of it, between underscores) -> expressions to try, the likeliest first.
_GUESSES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"act(ivation|_type|_func)?|nonlinearity", ('"relu"', "nn.Activation('relu')", "None")),
    (r"(norm|bn|batch_?norm)(_layer|_class|_type)?|normalization", ("nn.BatchNorm", '"batch"', "nn.BatchNorm()")),
    (r"layout", ('"NCHW"', '"NTC"')),
    (r"dtype", ('"float32"',)),
    (r"ctx|context|device", ("mx.cpu()",)),
    (r"prefix", ('"net_"',)),
    (r"params", ("None",)),
    (r"(use|is|has|with|no|do|enable)_\w+|\w*(bias|flag|training|pretrained)", ("False", "True")),
    (r"\w*(rate|dropout|drop|prob|alpha|beta|gamma|eps|epsilon|momentum|ratio|scale|weight|lam|lambda|margin|temp\w*|"
     r"threshold|slope|std|sigma|tau)s?", ("0.5", "1", "[0.5, 0.5]")),
    (r"(kernel|filter|pool|window)(_size|s)?|ksize", ("3", "(3, 3)", "1")),
    (r"strides?|dilations?|groups?|repeats?|depth|order", ("1", "(1, 1)", "2")),
    (r"pad(ding)?s?", ("1", "(1, 1)", "0")),
    (r"shape|\w+_shape", ("(4,)", "(3, 4)", "(3, 8, 8)")),
    (r"axis|dim_axis", ("1", "-1", "0")),
    (r"axes", ("(0, 1)", "(1, 0)")),
    (r"\w*(block|body|net|network|model|layer|cell|encoder|decoder|backbone|base|fn|func|module|head|tower|"
     r"stem)", ("nn.Dense(4)", "nn.Conv2D(4, 3, padding=1)", "2")),
    (r"\w*(blocks|nets|cells|modules)", ("2", "[nn.Dense(4), nn.Dense(4)]")),
    (r"\w*(layers|channels|sizes|units|filters|dims|features|stages|hiddens|widths|anchors|scales|outputs|classes)",
     ("4", "[4, 4]", "(3, 4, 4)", "[1, 1, 1, 1]")),
    (r"mode|\w*type|name|method|reduction|kind", ('"mean"', '"sum"', "None", "1")),
    (r"loss|loss_fn|criterion", ("gluon.loss.L2Loss()",)),
    (r"mean|std|means|stds", ("0.5", "(0.5, 0.5, 0.5)")),
)  # fmt: skip
_NUMBER = r"\w*(channels|units|size|dim|width|features|filters)"
_ANYTHING = ("4", "2", "0.5", '"relu"', "nn.Dense(4)", "[4, 4]", "None")
_ANNOTATIONS = {"int": ("4", "2"), "float": ("0.5",), "bool": ("False", "True"), "str": ('"relu"', '"mean"')}


class Within(NamedTuple):
    """A place in a larger block: the expression that builds that one, and the names that lead to the place."""

    expression: str
    path: tuple[str, ...]

    def __str__(self) -> str:
        return f"{'.'.join(self.path)} of {self.expression}" if self.path else self.expression


class Arguments(NamedTuple):
    """Arguments of a constructor as Python expressions, or the place `within` a larger block that builds it."""

    args: list[str]
    kwargs: dict[str, str]
    within: Within | None = None

    def __str__(self) -> str:
        return ", ".join([*self.args, *(f"{key}={text}" for key, text in self.kwargs.items())])


def candidates(cls: Any) -> Iterator[Arguments]:
    """Iterate over arguments to try, the likeliest first. Raises NotRunError where there is no signature."""
    required = _required(cls)
    spoken = choices(cls)
    guesses = [_likeliest(parameter, spoken.get(parameter.name, ())) for parameter in required]
    # What is left open by default may still be needed: the number of input channels.
    more = {p.name: _guesses(p)[0] for p in _plain(cls) if _is_open(p)}
    fixed = {p.name: "False" for p in _plain(cls) if _downloads(p)}
    for extra in [fixed, {**fixed, **more}] if more else [fixed]:
        for values in itertools.islice(_combinations(guesses), MOST):
            yield Arguments([], {**{p.name: value for p, value in _pairs(required, values)}, **extra})


def required_names(cls: Any) -> list[str]:
    """Return the names of constructor arguments without a default."""
    return [parameter.name for parameter in _required(cls)]


def _downloads(parameter: inspect.Parameter) -> bool:
    """Whether the default fetches weights from the network."""
    return "pretrained" in parameter.name and parameter.default is True


def _is_open(parameter: inspect.Parameter) -> bool:
    """Whether a parameter is a number that its default leaves open: None, or 0 for the size of an input."""
    name, default = parameter.name, parameter.default
    return re.fullmatch(_NUMBER, name) is not None and (default is None or (name.startswith("in_") and default == 0))


def _required(cls: Any) -> list[inspect.Parameter]:
    return [p for p in _plain(cls) if p.default is p.empty]


def _plain(cls: Any) -> list[inspect.Parameter]:
    try:
        signature = inspect.signature(cls)
    except (TypeError, ValueError) as error:
        raise NotRunError(f"the constructor has no signature that can be read: {error}") from error
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [p for p in signature.parameters.values() if p.kind in plain]


def _guesses(parameter: inspect.Parameter) -> tuple[str, ...]:
    annotation = parameter.annotation
    named = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    if named in _ANNOTATIONS:
        return _ANNOTATIONS[named]
    for pattern, values in _GUESSES:
        if re.fullmatch(pattern, parameter.name.lower()):
            return values
    return _ANYTHING


def _likeliest(parameter: inspect.Parameter, spoken: tuple[str, ...]) -> tuple[str, ...]:
    """Return guesses for a parameter: what the constructor's source speaks of before what its name suggests."""
    named = _guesses(parameter)
    return tuple(dict.fromkeys([*spoken, *named[: max(1, MOST_GUESSES - len(spoken))]]))


def _combinations(choices: list[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Iterate over combinations, those with the fewest unlikely values first."""
    ranks = [range(len(values)) for values in choices]
    most = max((len(values) for values in choices), default=1)
    for worst in range(most):
        for ks in itertools.islice(itertools.product(*ranks), 20_000):
            if max(ks, default=0) == worst:
                yield tuple(values[k] for values, k in _pairs(choices, ks))


def _pairs(left: Any, right: Any) -> list[tuple[Any, Any]]:
    return [(left[k], right[k]) for k in range(min(len(left), len(right)))]
