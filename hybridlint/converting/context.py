"""What the conversion of a module knows at each place: names, scopes, layers, and how operators are called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.converting.facts import ModuleFacts, SeenAtPlace, Span
from hybridlint.converting.gluon_names import (
    LOSS_BASE,
    NAMING,
    ImportedNames,
    Kind,
    Meaning,
    dotted_name,
    meaning_of,
    operator_meaning,
)
from hybridlint.converting.scopes import NameScopes
from hybridlint.converting.survey import BlockSurvey, walk
from hybridlint.runtime.facts.abstract.loading import layer_class
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.torch_code.call import ArgumentText, OperatorCall
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.initial_values import initial_value
from hybridlint.runtime.torch_code.layer_call import LayerCall, TorchLayer, builder_of, layer_names, meaningful
from hybridlint.runtime.torch_code.layer_functions import layer_function
from hybridlint.runtime.torch_code.table import translation_of
from hybridlint.text import cst

if TYPE_CHECKING:
    import libcst

#: Arguments of operators that choose a name or a device.
_WITHOUT_MEANING = {"name", "ctx", "num_args"}


class ConversionContext:
    """Answers questions about the code that is being converted. `positions` are those of the original tree."""

    def __init__(
        self, names: ImportedNames, facts: ModuleFacts, module: libcst.Module, positions: Mapping[Any, Any]
    ) -> None:
        self.names = names
        self.facts = facts
        self.module = module
        self.blocks: Mapping[str, BlockSurvey] = {}
        self.scopes = NameScopes()
        #: Statements that the one that is being converted needs before it.
        self.prelude: list[str] = []
        #: How many expressions are around that compute their parts later, or several times.
        self.compound = 0
        self._positions = positions
        self._layers: dict[int, TorchLayer] = {}
        self._initializers = _named_initializers(module, names)
        #: The expressions of sizes in the function around each call, by the call's `id`.
        self._hints = dict(_size_expressions(module))

    def span(self, node: libcst.CSTNode) -> Span:
        """Return the place of a node of the original tree, with columns in bytes."""
        place = self._positions[node]
        return place.start.line, place.start.column, place.end.line, place.end.column

    def row(self, node: libcst.CSTNode) -> int:
        """Return the row of a node of the original tree."""
        return self.span(node)[0]

    def code(self, node: libcst.CSTNode) -> str:
        """Return the text of a node."""
        return self.module.code_for_node(node).strip()

    def path(self, node: libcst.BaseExpression) -> str | None:
        """Return the dotted path that a name represents here, None if it is not imported or bound again."""
        text = dotted_name(node)
        if text is None or self.scopes.is_local(text.partition(".")[0]):
            return None
        return self.names.path(node)

    def meaning(self, func: libcst.BaseExpression) -> Meaning | None:
        """Return what a called name of MXNet means, None for other names."""
        text = dotted_name(func)
        if text is None:
            return None
        top, _, rest = text.partition(".")
        if rest and self.scopes.is_namespace(top):
            *path, name = rest.split(".")
            return operator_meaning(tuple(path), name)
        path_text = self.path(func)
        return None if path_text is None else meaning_of(path_text)

    def operator_call(
        self,
        operator: Operator,
        arguments: Sequence[libcst.Arg],
        shapes: Sequence[Sequence[int] | None],
        data: str | None = None,
    ) -> str:
        """Return the text of an operator's call; `data` is its first input where a method has it."""
        translate = translation_of(operator)
        if translate is None:
            raise NoTranslationError(f"`{operator.name}` has no counterpart in PyTorch")
        inputs: list[ArgumentText | None] = [] if data is None else [ArgumentText.of(data)]
        params: dict[str, ArgumentText] = {}
        names = list(operator.params)
        for argument in _unpacked(arguments):
            text = self.code(argument.value)
            if argument.star == "**":
                raise NoTranslationError(f"`{operator.name}` with `**{text}`")
            if argument.star == "*":
                inputs.append(ArgumentText(f"*{text}"))
                if not operator.variadic:
                    raise NoTranslationError(f"`{operator.name}` with `*{text}`")
                continue
            name = None if argument.keyword is None else argument.keyword.value
            value = ArgumentText.of(text)
            if name is None and (operator.variadic or len(inputs) < len(operator.inputs)):
                inputs.append(value)
            elif name is None:
                free = next((other for other in names if other not in params), None)
                if free is None:
                    raise NoTranslationError(f"`{operator.name}` with one argument too many, `{text}`")
                params[free] = value
            elif name in operator.inputs and not operator.variadic:
                index = operator.inputs.index(name)
                inputs += [None] * (index + 1 - len(inputs))
                inputs[index] = value
            elif name in operator.params:
                params[name] = value
            elif name == "out":
                raise NoTranslationError(f"`{operator.name}` with `out={text}`")
            elif name not in _WITHOUT_MEANING:
                raise NoTranslationError(f"`{operator.name}` with `{name}={text}`")
        params = {name: value for name, value in params.items() if name not in _WITHOUT_MEANING}
        text = translate(OperatorCall(operator, inputs, params, shapes))
        return self._computed_once(text, operator, inputs, params, shapes)

    def _computed_once(
        self,
        text: str,
        operator: Operator,
        inputs: Sequence[ArgumentText | None],
        params: Mapping[str, ArgumentText],
        shapes: Sequence[Sequence[int] | None],
    ) -> str:
        """Return the text of a call in which no input is computed twice: such an input gets a name before."""
        named = list(inputs)
        for k, argument in enumerate(inputs):
            if argument is None or "(" not in argument.text or text.count(argument.text) < 2:
                continue
            if not self.scopes.function or self.compound:
                raise NoTranslationError(f"`{operator.name}` of a long expression: give it a name")
            name = self.scopes.new_name("data")
            self.prelude.append(f"{name} = {argument.text}")
            named[k] = ArgumentText(name)
        translate = translation_of(operator)
        assert translate is not None
        return text if named == list(inputs) else translate(OperatorCall(operator, named, params, shapes))

    def layer_or_none(self, node: libcst.Call) -> TorchLayer | None:
        """Return the replacement of a call of a layer; None for other calls and for untranslatable layers."""
        path = self.names.path(node.func)
        meaning = None if path is None else meaning_of(path)
        if meaning is None or meaning.kind is not Kind.LAYER:
            return None
        try:
            return self.layer(node, meaning.name)
        except NoTranslationError:
            return None

    def layer(self, node: libcst.Call, kind: str) -> TorchLayer:
        """Return the replacement of a layer that a node of the original tree builds. Raises NoTranslationError."""
        known = self._layers.get(id(node))
        if known is not None:
            return known
        build = builder_of(kind)
        if build is None:
            raise NoTranslationError(f"the layer `{kind}`")
        if any(argument.star == "**" and not self._names_blocks(argument) for argument in node.args):
            return self._by_dictionary(node, kind)
        names = layer_names(kind)
        arguments: dict[str, ArgumentText] = {}
        for k, argument in enumerate(node.args):
            text = self.code(argument.value)
            if argument.star == "**":
                continue
            if argument.star:
                raise NoTranslationError(f"`{kind}` with `{argument.star}{text}`")
            if argument.keyword is None and k >= len(names):
                raise NoTranslationError(f"`{kind}` with one argument too many, `{text}`")
            name = names[k] if argument.keyword is None else argument.keyword.value
            arguments[name] = ArgumentText.of(self._initializers.get(text, text))
        cls = layer_class(kind)
        seen = self.facts.layers(self.span(node), kind if cls is None else cls.__name__)
        hints = self._hints.get(id(node), ())
        call = LayerCall(kind, meaningful(arguments), SeenAtPlace(seen, hints, self.facts.assumes_sizes), initial_value)
        layer = build(call)
        if call.assumed is not None:
            layer = replace(layer, comment=f"# {call.assumed} is the size of the inputs in the proof: write yours.")
        self._layers[id(node)] = layer
        return layer

    def _names_blocks(self, argument: libcst.Arg) -> bool:
        """Whether a dictionary of arguments holds what the constructor of a block hands on, which names it in Gluon."""
        return self.scopes.block is not None and self.code(argument.value) == "kwargs"

    def _by_dictionary(self, node: libcst.Call, kind: str) -> TorchLayer:
        """Return the layer for a call with arguments in a dictionary: a function takes them by Gluon's names."""
        function = layer_function(kind)
        if function is None:
            star = next(argument for argument in node.args if argument.star)
            raise NoTranslationError(f"`{kind}` with `{star.star}{self.code(star.value)}`")
        named = [argument for argument in node.args if argument.keyword is None or argument.keyword.value not in NAMING]
        arguments = ", ".join(self.code(argument.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for argument in named)
        return TorchLayer(f"{function}({arguments})")

    def names_initializer(self, name: str) -> bool:
        """Whether a name holds an initializer, which stands where a layer takes it."""
        return name in self._initializers

    def builds_block(self, node: libcst.CSTNode) -> bool:
        """Whether an expression of the original tree builds a block: a layer, or one of the module's own."""
        if isinstance(node, cst.IfExp):
            return self.builds_block(node.body) or self.builds_block(node.orelse)
        if not isinstance(node, cst.Call):
            return False
        meaning = self.meaning(node.func)
        return dotted_name(node.func) in self.blocks or (meaning is not None and meaning.kind is Kind.LAYER)

    @property
    def loss_base(self) -> bool:
        """Whether the code is in a block that derives from Gluon's Loss."""
        block = self.scopes.block
        return block is not None and block.base == LOSS_BASE

    def known_layer(self, node: libcst.Call) -> TorchLayer | None:
        """Return the replacement of a layer that is already translated."""
        return self._layers.get(id(node))


def _named_initializers(module: libcst.Module, names: ImportedNames) -> dict[str, str]:
    """Return the initializers that names are bound to, the same wherever they are bound."""
    texts: dict[str, set[str]] = {}
    for node in walk(module):
        if isinstance(node, cst.Assign) and len(node.targets) == 1 and isinstance(node.targets[0].target, cst.Name):
            path = names.path(node.value.func) if isinstance(node.value, cst.Call) else None
            meaning = None if path is None else meaning_of(path)
            own = meaning is not None and meaning.kind is Kind.INITIALIZER
            texts.setdefault(node.targets[0].target.value, set()).add(module.code_for_node(node.value) if own else "")
    return {name: found.pop() for name, found in texts.items() if len(found) == 1 and "" not in found}


def _unpacked(arguments: Sequence[libcst.Arg]) -> Iterator[libcst.Arg]:
    """Yield arguments, those of a list that is written out behind a star one by one."""
    for argument in arguments:
        if argument.star == "*" and isinstance(argument.value, cst.List | cst.Tuple):
            yield from (cst.Arg(element.value) for element in argument.value.elements)
        else:
            yield argument


def _size_expressions(module: libcst.Module) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield each call with the arithmetic and the subscripts among the arguments of calls in its function."""
    for function in walk(module):
        if not isinstance(function, cst.FunctionDef):
            continue
        calls = [node for node in walk(function) if isinstance(node, cst.Call)]
        values = [argument.value for call in calls for argument in call.args]
        texts = {
            module.code_for_node(value) for value in values if isinstance(value, cst.BinaryOperation | cst.Subscript)
        }
        hints = sorted(texts, key=lambda text: (len(text), text))
        yield from ((id(call), hints) for call in calls)
