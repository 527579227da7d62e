"""Writes an exported network as PyTorch code: modules by name scopes, sequences of layers, and functions between."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hybridlint.converting.assembly import with_imports
from hybridlint.converting.graph_reading import ExportedNetwork
from hybridlint.converting.problems import Problem
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.symbol.node import SymbolEntry, SymbolNode
from hybridlint.runtime.torch_code.call import ArgumentText, OperatorCall
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.helpers import HELPERS
from hybridlint.runtime.torch_code.layer_call import ACTIVATION_LAYERS
from hybridlint.runtime.torch_code.modules import GraphCall, GraphLayer, layer_for
from hybridlint.runtime.torch_code.table import translation_of
from hybridlint.runtime.torch_code.texts import literal

#: A value: the `id` of its node, and which of its outputs it is.
Key: TypeAlias = tuple[int, int]
#: The longest expression that is written where it is used, and the fewest nodes of a module of its own.
_SHORT, _FEW = 50, 4
_WIDTH = 100


@record(frozen=True, slots=True)
class ConvertedNetwork:
    """The text of the new module, its parameters by name, and what has no translation."""

    text: str
    name: str
    state: Mapping[str, Any]
    problems: tuple[Problem, ...]


@dataclass
class _Region:
    """The nodes of a name scope: single ones, and regions in it."""

    name: str
    path: tuple[str, ...]
    items: list[SymbolNode | _Region] = field(default_factory=list)

    @property
    def nodes(self) -> list[SymbolNode]:
        """All nodes in it, in order."""
        return [node for item in self.items for node in (item.nodes if isinstance(item, _Region) else [item])]


def convert_network(network: ExportedNetwork, name: str) -> ConvertedNetwork:
    """Return an exported network as PyTorch code."""
    return _NetworkWriter(network, name).written()


class _NetworkWriter:
    """Writes one network."""

    def __init__(self, network: ExportedNetwork, name: str) -> None:
        self.network = network
        self.name = name
        self.problems: list[Problem] = []
        self.state: dict[str, Any] = {}
        #: Class names by their bodies: equal scopes share one class.
        self.classes: dict[str, str] = {}
        self.texts: list[str] = []
        self.variables = {id(node): node for node in network.nodes if node.op is None}
        self.uses: dict[Key, list[int]] = {}
        for node in self.operators:
            for entry in self.inputs(node):
                self.uses.setdefault(_key(entry), []).append(id(node))
        self.results = [_key(entry) for entry in network.symbol._entries]

    @property
    def operators(self) -> list[SymbolNode]:
        """The nodes that compute, in order."""
        return [node for node in self.network.nodes if node.op is not None]

    def inputs(self, node: SymbolNode) -> list[SymbolEntry]:
        """Return the inputs of a node that are neither parameters nor labels."""
        return [
            entry
            for entry in node.inputs
            if entry is not None and (entry[0].op is not None or entry[0].name in self.network.inputs)
        ]

    def array(self, entry: SymbolEntry | None) -> Any:
        """Return the array of a parameter, None for other values."""
        return None if entry is None or entry[0].op is not None else self.network.arrays.get(entry[0].name)

    def written(self) -> ConvertedNetwork:
        """Return the network as text."""
        root = _Region(self.name, ())
        root.items = _by_scopes(self.operators, _prefix([node.name for node in self.operators]), 0)
        given = [(_named(name), None) for name in self.network.inputs]
        keys: dict[Key, str] = {
            (id(node), 0): _named(node.name) for node in self.variables.values() if node.name in self.network.inputs
        }
        body = _RegionWriter(self, root, keys, self.results, "").written([name for name, _ in given])
        self.texts.append(f"class {self.name}(nn.Module):\n{body}")
        return ConvertedNetwork(with_imports("\n\n\n".join(self.texts)), self.name, self.state, tuple(self.problems))

    def class_of(self, region: _Region, body: str) -> str:
        """Return the name of the class with this body."""
        if body in self.classes:
            return self.classes[body]
        plain = "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", region.name) if part)
        plain = plain if plain.isidentifier() else f"Part{plain}"
        name, count = plain, 1
        while name in self.classes.values() or name == self.name:
            count += 1
            name = f"{plain}_{count}"
        self.classes[body] = name
        self.texts.append(f"class {name}(nn.Module):\n{body}")
        return name

    def layer(self, node: SymbolNode) -> GraphLayer | None:
        """Return the layer for a node, None if a function is written for it."""
        assert node.op is not None
        build = layer_for(node.op.name)
        data = node.inputs[0] if node.inputs else None
        if build is None or data is None or self.array(data) is not None:
            return None
        arrays = [self.array(entry) for entry in node.inputs[1:]]
        if any(entry is not None and array is None for entry, array in zip(node.inputs[1:], arrays, strict=True)):
            return None
        shape = self.network.shape(data)
        rank = None if shape is None else len(shape)
        try:
            return build(GraphCall(node.params, arrays, rank, None))
        except (NoTranslationError, KeyError, ValueError):
            return None


class _RegionWriter:
    """Writes the constructor and the forward method of one region."""

    def __init__(
        self,
        network: _NetworkWriter,
        region: _Region,
        names: dict[Key, str],
        outputs: Sequence[Key],
        prefix: str,
    ) -> None:
        self.network = network
        self.region = region
        self.names = names
        self.outputs = list(outputs)
        self.prefix = prefix
        self.start: list[str] = []
        self.body: list[str] = []
        self.taken: set[str] = set(names.values()) | {"self", *HELPERS}
        self.attributes: set[str] = set()
        own = {id(node) for node in region.nodes}
        #: How often each value is still read in this region.
        self.left = {key: sum(user in own for user in users) for key, users in network.uses.items()}
        for key in self.outputs:
            self.left[key] = self.left.get(key, 0) + 1
        self.state: dict[str, Any] = {}

    def written(self, arguments: Sequence[str]) -> str:
        """Return the body of the class."""
        items = list(self.region.items)
        while items:
            item = items.pop(0)
            if isinstance(item, _Region):
                self._submodule(item)
                continue
            chain = self._chain(item, items)
            if chain:
                del items[: len(chain) - 1]
                self._sequence(chain)
            else:
                self._function(item)
        results = ", ".join(self._read(key) for key in self.outputs)
        if self.body and self.body[-1].startswith(f"{results} = ") and results.isidentifier():
            results = self.body.pop().partition(" = ")[2]
        start = "\n".join(f"        {line}" for line in ["super().__init__()", *self.start])
        body = "\n".join(f"        {line}" for line in [*self.body, f"return {results}"])
        head = f"    def __init__(self):\n{start}\n\n    def forward(self, {', '.join(arguments)}):\n{body}"
        for name, array in self.state.items():
            self.network.state[f"{self.prefix}{name}"] = array
        return _folded(head)

    # Values

    def _read(self, key: Key) -> str:
        text = self.names.get(key)
        if text is None:
            raise NoTranslationError("a value that nothing computes")
        self.left[key] = self.left.get(key, 1) - 1
        return text

    def _bind(self, key: Key, text: str, wanted: str) -> None:
        """Give a value a name, or keep its expression where it is used at once."""
        if self.left.get(key, 0) == 1 and len(text) <= _SHORT and key not in self.outputs:
            self.names[key] = text
            return
        name = self._free_name(wanted)
        self.names[key] = name
        self.body.append(f"{name} = {text}")

    def _free_name(self, wanted: str) -> str:
        """Return `x` if its value is no longer read, else a new name."""
        live = {text for key, text in self.names.items() if self.left.get(key, 0) > 0}
        joined = " ".join(live)
        if not re.search(r"\bx\b", joined):
            self.taken.add("x")
            return "x"
        name, count = wanted, 1
        while name in self.taken or re.search(rf"\b{name}\b", joined):
            count += 1
            name = f"{wanted}_{count}"
        self.taken.add(name)
        return name

    # Layers

    def _chain(self, first: SymbolNode, rest: Sequence[Any]) -> list[tuple[SymbolNode, GraphLayer]]:
        """Return the layers that follow each other from a node on, none if it is no layer."""
        layer = self.network.layer(first)
        if layer is None:
            return []
        chain = [(first, layer)]
        for node in rest:
            if isinstance(node, _Region):
                break
            key = (id(chain[-1][0]), 0)
            inputs = self.network.inputs(node)
            following = self.network.layer(node)
            alone = self.left.get(key, 0) == 1 and key not in self.outputs
            if following is None or not alone or [_key(entry) for entry in inputs] != [key]:
                break
            chain.append((node, following))
        alone = len(chain) == 1 and not layer.state and len(layer.texts) == 1
        if (alone or layer.texts[0] in ACTIVATION_LAYERS.values()) and translation_of(_operator(first)):
            # A function says it better: what is before it is no layer.
            return []
        return chain

    def _sequence(self, chain: Sequence[tuple[SymbolNode, GraphLayer]]) -> None:
        (data,) = self.network.inputs(chain[0][0])
        texts: list[str] = []
        places: list[tuple[int, Mapping[str, Any]]] = []
        for _, layer in chain:
            places.append((len(texts) + layer.index, layer.state))
            texts += layer.texts
        named = next((node for node, layer in chain if layer.state), chain[0][0])
        name = _numbered_name(_layer_name(named.name), self.attributes)
        text = texts[0] if len(texts) == 1 else _sequential(texts)
        for index, state in places:
            dotted = name if len(texts) == 1 else f"{name}.{index}"
            self.state.update({f"{dotted}.{key}": value for key, value in state.items()})
        self.start += f"self.{name} = {text}".splitlines()
        self._bind((id(chain[-1][0]), 0), f"self.{name}({self._read(_key(data))})", name)

    # Functions

    def _function(self, node: SymbolNode) -> None:
        operator = _operator(node)
        translate = translation_of(operator)
        wanted = _layer_name(node.name)
        try:
            if translate is None:
                raise NoTranslationError(f"`{operator.name}` has no counterpart in PyTorch")
            inputs = [self._argument(operator.inputs, k, entry) for k, entry in enumerate(node.inputs)]
            params = {
                name: ArgumentText(literal(value), value)
                for name, value in node.params.items()
                if name in operator.params
            }
            shapes = [None if entry is None else self._shape(entry) for entry in node.inputs]
            dtypes = [None if entry is None else self.network.network.dtype(entry) for entry in node.inputs]
            text = translate(OperatorCall(operator, inputs, params, shapes, dtypes=dtypes))
            if self._bound_repeated(inputs, text):
                text = translate(OperatorCall(operator, inputs, params, shapes, dtypes=dtypes))
        except (NoTranslationError, KeyError, ValueError, TypeError, IndexError) as error:
            reason = error.reason if isinstance(error, NoTranslationError) else str(error)
            self.network.problems.append(Problem(0, node.name, reason))
            self.body.append(f'raise NotImplementedError("{node.name}: {reason}")')
            text = "None"
        if node.visible == 1:
            self._bind((id(node), 0), text, wanted)
            return
        names = []
        for index in range(node.visible):
            name = _numbered_name(f"{wanted}_{index}", self.taken)
            self.names[id(node), index] = name
            names.append(name)
        self.body.append(f"{', '.join(names)} = {text}")

    def _bound_repeated(self, inputs: list[ArgumentText | None], text: str) -> bool:
        """Give names to the inputs that a text computes more than once. Return whether there are any."""
        repeated = [k for k, given in enumerate(inputs) if given and "(" in given.text and text.count(given.text) > 1]
        for k in repeated:
            given = inputs[k]
            assert given is not None
            name = _numbered_name("data", self.taken)
            self.body.append(f"{name} = {given.text}")
            inputs[k] = ArgumentText(name)
        return bool(repeated)

    def _shape(self, entry: SymbolEntry) -> Sequence[int] | None:
        shape = self.network.network.shape(entry)
        return None if shape is None else [size if isinstance(size, int) else -1 for size in shape]

    def _argument(self, names: Sequence[str], index: int, entry: SymbolEntry | None) -> ArgumentText | None:
        if entry is None:
            return None
        array = self.network.array(entry)
        if array is not None:
            return ArgumentText(f"self.{self._parameter(entry[0].name, array)}")
        if entry[0].op is None and entry[0].name not in self.network.network.inputs:
            return None
        return ArgumentText(self._read(_key(entry)))

    def _parameter(self, name: str, array: Any) -> str:
        words = name.strip("_")
        short = _identifier(words.rpartition("_")[2] if words.count("_") > 2 else words)
        attribute = _numbered_name(short, self.attributes)
        shape = ", ".join(map(str, array.shape))
        self.start.append(f"self.{attribute} = nn.Parameter(torch.empty({shape}))")
        self.state[attribute] = array
        return attribute

    # Modules

    def _submodule(self, region: _Region) -> None:
        own = {id(node) for node in region.nodes}
        reads: dict[Key, None] = {}
        for node in region.nodes:
            reads.update(dict.fromkeys(_key(e) for e in self.network.inputs(node) if id(e[0]) not in own))
        results = [key for key in _results(region.nodes) if self._is_read_outside(key, own)]
        arguments = ["x"] if len(reads) == 1 else [f"x{k + 1}" for k in range(len(reads))]
        name = _numbered_name(_identifier(region.name), self.attributes)
        names = dict(zip(reads, arguments, strict=True))
        writer = _RegionWriter(self.network, region, names, results, f"{self.prefix}{name}.")
        cls = self.network.class_of(region, writer.written(arguments))
        self.start.append(f"self.{name} = {cls}()")
        for key in reads:
            # Its reads in the region count as one.
            inside = sum(user in own for user in self.network.uses.get(key, ()))
            self.left[key] = self.left.get(key, 0) - inside + 1
        call = f"self.{name}({', '.join(self._read(key) for key in reads)})"
        if len(results) == 1:
            self._bind(results[0], call, name)
            return
        parts = [_numbered_name(f"{name}_{k}", self.taken) for k in range(len(results))]
        self.names.update(zip(results, parts, strict=True))
        self.body.append(f"{', '.join(parts)} = {call}")

    def _is_read_outside(self, key: Key, own: set[int]) -> bool:
        return key in self.network.results or any(user not in own for user in self.network.uses.get(key, ()))


def _results(nodes: Sequence[SymbolNode]) -> Iterator[Key]:
    for node in nodes:
        yield from ((id(node), index) for index in range(node.visible))


def _key(entry: SymbolEntry) -> Key:
    return id(entry[0]), entry[1]


def _operator(node: SymbolNode) -> Any:
    assert node.op is not None
    return node.op


def _prefix(names: Sequence[str]) -> str:
    """Return the name of the network with which most names of nodes begin."""
    counts: dict[str, int] = {}
    for name in names:
        first, between, _ = name.partition("_")
        if between:
            counts[f"{first}_"] = counts.get(f"{first}_", 0) + 1
    best = max(counts, key=lambda name: counts[name], default="")
    return best if counts.get(best, 0) > len(names) / 2 else ""


def _scopes(name: str, prefix: str) -> list[str]:
    """Return the scopes that a node's name says, and its own name last."""
    parts = [part for part in name.removeprefix(prefix).removesuffix("_fwd").split("_") if part]
    return parts or [name]


def _by_scopes(nodes: Sequence[SymbolNode], prefix: str, depth: int) -> list[SymbolNode | _Region]:
    """Return nodes with those of one scope that follow each other in a region of their own."""
    items: list[SymbolNode | _Region] = []
    rest = list(nodes)
    while rest:
        scopes = _scopes(rest[0].name, prefix)
        scope = scopes[depth] if len(scopes) > depth + 1 else None
        if scope is None or not re.search(r"\d$", scope):
            items.append(rest.pop(0))
            continue
        count = next(
            (k for k, node in enumerate(rest) if _scopes(node.name, prefix)[depth : depth + 1] != [scope]), len(rest)
        )
        inner, rest = rest[:count], rest[count:]
        if count < _FEW or count == len(nodes):
            items += _by_scopes(inner, prefix, depth + 1) if count == len(nodes) else inner
            continue
        items.append(_Region(scope, tuple(scopes[: depth + 1]), _by_scopes(inner, prefix, depth + 1)))
    return items


def _layer_name(name: str) -> str:
    parts = [part for part in name.removesuffix("_fwd").split("_") if part]
    return _identifier(parts[-1] if parts else "layer")


def _identifier(name: str) -> str:
    text = re.sub(r"\W", "_", name)
    return f"_{text}" if text[:1].isdigit() or not text else text


def _named(name: str) -> str:
    return "x" if name == "data" else _identifier(name)


def _sequential(texts: Sequence[str]) -> str:
    short = f"nn.Sequential({', '.join(texts)})"
    if len(texts) <= 2 and len(short) <= 80:
        return short
    return "\n".join(["nn.Sequential(", *(f"    {text}," for text in texts), ")"])


def _folded(text: str) -> str:
    """Return code whose long calls with lists stand on several lines."""
    lines = []
    for line in text.split("\n"):
        if len(line) > _WIDTH and "torch.cat([" in line:
            indent = line[: len(line) - len(line.lstrip())]
            before, _, rest = line.partition("torch.cat([")
            items, _, after = rest.partition("]")
            if "(" not in items:
                lines.append(f"{before}torch.cat(")
                lines.append(f"{indent}    [{items}]{after.removesuffix(')')}")
                lines.append(f"{indent})")
                continue
        lines.append(line)
    return "\n".join(lines)


def _numbered_name(wanted: str, taken: set[str]) -> str:
    """Return the wanted name, with a number behind it if it is taken, and take it."""
    name, count = wanted, 1
    while name in taken:
        count += 1
        name = f"{wanted}_{count}"
    taken.add(name)
    return name
