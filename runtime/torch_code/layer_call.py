"""A layer of Gluon that is to be written in PyTorch, and the layers that represent it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Protocol, TypeAlias

from hybridlint.runtime.facts.abstract.arguments import argument_names
from hybridlint.runtime.facts.abstract.loading import layer_class
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.torch_code.call import ArgumentText
from hybridlint.runtime.torch_code.errors import NoTranslationError

#: Arguments that name blocks and share parameters in Gluon, or choose a device; PyTorch has no use for them.
_WITHOUT_MEANING = {"prefix", "params", "num_devices", "sparse_grad"}


@record(frozen=True, slots=True)
class TorchLayer:
    """The replacement of a layer in PyTorch: `text` builds it.

    `flattens` and `activation` (a layer) are done before and after the layer if it does not do them itself. `starts`
    are statements that set initial values, with `{}` for the layer. `sequences` says that it returns its states, too,
    and `lazy` that it takes its size from the first input. `comment` says what a reader has to check.
    """

    text: str
    flattens: bool = False
    activation: str | None = None
    starts: tuple[str, ...] = ()
    sequences: bool = False
    lazy: bool = False
    comment: str | None = None

    @property
    def texts(self) -> list[str]:
        """Return the layers that do all of it one after the other."""
        return [
            *(["nn.Flatten()"] if self.flattens else []),
            self.text,
            *([] if self.activation is None else [self.activation]),
        ]

    @property
    def index(self) -> int:
        """The position of the layer itself among `texts`."""
        return int(self.flattens)


class SeenLayers(Protocol):
    """Observations of the layers that one call builds, made in runs."""

    @property
    def rank(self) -> int | None:
        """The number of axes of their input, None if it is not known or differs."""

    @property
    def most_axes(self) -> int | None:
        """The most axes that their input had in any run, None if that is not known."""

    def size(self) -> str | None:
        """Return an expression for the size that they take from their input, None if there is none."""

    def first_size(self) -> str | None:
        """Return the size that they took before inputs were varied, None if there was none, or several."""

    def was_zero(self, name: str) -> bool:
        """Whether a name was 0 where they were built, which leaves a size to the input."""

    def size_where_zero(self, name: str) -> str | None:
        """Return an expression for the size that those took from their input that were built where a name was 0."""


class LayerCall:
    """The call of a layer's class: arguments by name, and what runs have shown of the layer."""

    def __init__(
        self,
        kind: str,
        arguments: Mapping[str, ArgumentText],
        seen: SeenLayers,
        initializers: Initializers,
    ) -> None:
        self.kind = kind
        self.arguments = arguments
        self.seen = seen
        self._initializers = initializers
        #: The size of the inputs that is written because a run had it; others may have another.
        self.assumed: str | None = None
        self._defaults = layer_defaults(kind)

    def text(self, name: str) -> str:
        """Return the text of an argument, or of its default."""
        if name in self.arguments:
            return self.arguments[name].text
        from hybridlint.runtime.torch_code.texts import literal

        return literal(self.value(name))

    def value(self, name: str) -> Any:
        """Return the value of an argument. Raises NoTranslationError if it is no literal."""
        if name in self.arguments:
            if not self.arguments[name].known:
                raise NoTranslationError(f"`{name}={self.arguments[name].text}` is not a literal")
            return self.arguments[name].value
        if name not in self._defaults:
            raise NoTranslationError(f"`{self.kind}` is built without `{name}`")
        return self._defaults[name]

    def given(self, name: str) -> bool:
        """Whether an argument is given, with another value than its default."""
        if name not in self.arguments:
            return False
        argument = self.arguments[name]
        return not (argument.known and name in self._defaults and _alike(argument.value, self._defaults[name]))

    def only_default(self, *names: str) -> None:
        """Raise NoTranslationError if one of these arguments is given."""
        for name in names:
            if self.given(name):
                raise NoTranslationError(f"`{self.kind}` with `{name}={self.text(name)}`")

    @property
    def rank(self) -> int | None:
        """The number of axes of the layer's input, None if it is not known."""
        return self.seen.rank

    def size(self, name: str) -> str | None:
        """Return the size that the layer takes from its input, given as the argument `name` or seen in runs."""
        argument = self.arguments.get(name)
        if argument is None or argument.value in (0, None):
            return self.seen.size()
        if not self.seen.was_zero(argument.text):
            return argument.text
        size = self.seen.size_where_zero(argument.text)
        return None if size is None else f"{argument.text} or {size}"

    def needed_size(self, name: str) -> str:
        """Return the size that the layer takes from its input. Raises NoTranslationError if it is not known."""
        size = self.size(name)
        if size is None:
            size = self.assumed = self.seen.first_size()
        if size is None:
            raise NoTranslationError(f"the input size of `{self.kind}` depends on the inputs: give it as `{name}`")
        return size

    def starts(self, **places: str) -> tuple[str, ...]:
        """Return the statements that set initial values: argument names with the parameters that they are for."""
        texts = []
        for name, place in places.items():
            if name in self.arguments and self.arguments[name].value is not None:
                texts.append(self._initializers(self.arguments[name].text, f"{{}}.{place}"))
        return tuple(texts)


#: From the text of an initializer and a parameter to the statement that sets it. Raises NoTranslationError.
Initializers: TypeAlias = Callable[[str, str], str]
#: From a call to what represents the layer. Raises NoTranslationError.
BuildLayer: TypeAlias = Callable[[LayerCall], TorchLayer]

_by_name: dict[str, BuildLayer] = {}


def builds(*names: str) -> Callable[[BuildLayer], BuildLayer]:
    """Register a function for the layers of these names."""

    def register(function: BuildLayer) -> BuildLayer:
        for name in names:
            _by_name[name] = function
        return function

    return register


@cache
def _loaded() -> Mapping[str, BuildLayer]:
    package = importlib.import_module("hybridlint.runtime.torch_code.layers")
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
    return _by_name


def builder_of(kind: str) -> BuildLayer | None:
    """Return the function for the layers of a name, None if they have no translation."""
    return _loaded().get(kind)


@cache
def layer_names(kind: str) -> tuple[str, ...]:
    """Return the names of the arguments of a layer's constructor, none for what is no layer."""
    made = layer_class(kind)
    return () if made is None else argument_names(made)


@cache
def layer_defaults(kind: str) -> Mapping[str, Any]:
    """Return the defaults of the arguments of a layer's constructor."""
    made = layer_class(kind)
    if made is None:
        return {}
    names, defaults = argument_names(made), made.__init__.__defaults__ or ()
    return dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))


def meaningful(arguments: Mapping[str, ArgumentText]) -> dict[str, ArgumentText]:
    """Return the arguments that mean something in PyTorch."""
    return {name: argument for name, argument in arguments.items() if name not in _WITHOUT_MEANING}


#: The layers for activations of Gluon.
ACTIVATION_LAYERS = {
    "relu": "nn.ReLU()",
    "sigmoid": "nn.Sigmoid()",
    "tanh": "nn.Tanh()",
    "softrelu": "nn.Softplus()",
    "softsign": "nn.Softsign()",
}


def activation_layer(argument: ArgumentText) -> str:
    """Return the layer for an activation of Gluon. The new module looks up an unknown activation when it runs."""
    if not argument.known:
        return f"activation_layer({argument.text})"
    if argument.value not in ACTIVATION_LAYERS:
        raise NoTranslationError(f"the activation {argument.value!r}")
    return ACTIVATION_LAYERS[argument.value]


def written(function: str, *arguments: str) -> str:
    """Return a call with the arguments that are not empty."""
    return f"{function}({', '.join(filter(None, arguments))})"


def _alike(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)
