"""Workloads as files: a graph, its arrays and inputs, for libraries that have no Gluon. See engines.py.

`write` needs the bundled runtime; what reads needs numpy alone. The interpreters of all contenders may run this file.
"""

from __future__ import annotations

import ast
import importlib
import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from serving import UntranslatedError

#: What makes one vector of the weights of an RNN.
_PACKING = "_rnn_param_concat"


@dataclass(frozen=True)
class Node:
    """An operator: the places of its inputs and outputs among the values, and its parameters as Python's values."""

    op: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    params: dict[str, Any]


@dataclass(frozen=True)
class Net:
    """A graph. `arrays` and `inputs` say which value each stands for; `trained` names the arrays with gradients."""

    nodes: tuple[Node, ...]
    arrays: dict[str, Any]
    inputs: tuple[Any, ...]
    places: dict[str, int]
    given: tuple[int, ...]
    trained: tuple[str, ...]
    heads: tuple[int, ...]

    @property
    def values(self) -> int:
        """The number of values."""
        return 1 + max(*self.given, *self.places.values(), *(v for node in self.nodes for v in node.outputs), 0)


def write(folder: Path, workload: str) -> None:
    """Write a workload into a folder, by the names that its parameters have in the structure of the block."""
    mx = importlib.import_module("hybridlint.runtime")
    scenario = importlib.import_module("tests.models.scenario")
    case = importlib.import_module("workloads").WORKLOADS[workload]
    write_net(folder, workload, scenario.build(mx, case), [mx.nd.array(x) for x in case.inputs()])


def write_net(folder: Path, workload: str, net: Any, inputs: list[Any]) -> None:
    """Write a block, and the arrays that it is called with."""
    net.hybridize()
    net(*inputs)
    net.export(str(folder / workload))
    parameters = net._collect_params_with_prefix()
    names = {parameter.name: name for name, parameter in parameters.items()}
    trained = [name for name, parameter in parameters.items() if parameter.grad_req != "null"]
    (folder / f"{workload}.names.json").write_text(json.dumps([names, trained]), encoding="utf-8")
    arrays = {f"array {name}": parameter.data().asnumpy() for name, parameter in parameters.items()}
    given = {f"input {k}": x.asnumpy() for k, x in enumerate(inputs)}
    np.savez(folder / f"{workload}.npz", **arrays, **given)


def read(folder: Path, workload: str, translated: Collection[str]) -> Net:
    """Return what `write` has written, with the weights of an RNN as arrays of their own.

    Raises UntranslatedError where the graph has other operators than those that are translated.
    """
    graph = json.loads((folder / f"{workload}-symbol.json").read_text(encoding="utf-8"))
    names, trained = json.loads((folder / f"{workload}.names.json").read_text(encoding="utf-8"))
    held = np.load(folder / f"{workload}.npz")
    missing = sorted({row["op"] for row in graph["nodes"]} - {"null", _PACKING, *translated})
    if missing:
        raise UntranslatedError(f"no translation of {', '.join(missing)}")
    values: dict[tuple[int, int], int] = {}

    def value(node: int, output: int) -> int:
        return values.setdefault((node, output), len(values))

    nodes, places, given = [], {}, []
    for number, row in enumerate(graph["nodes"]):
        if row["op"] != "null":
            params = {name: _parsed(text) for name, text in row.get("attrs", {}).items()}
            taken = tuple(value(node, output) for node, output, _ in row["inputs"])
            made = tuple(value(number, k) for k in range(params.get("num_outputs", 1)))
            nodes.append(Node(row["op"], taken, made, params))
        elif row["name"] in names:
            places[names[row["name"]]] = value(number, 0)
        else:
            given.append(value(number, 0))
    return Net(
        nodes=tuple(_with_arrays_apart(nodes)),
        arrays={name: held[f"array {name}"] for name in places},
        inputs=tuple(held[f"input {k}"] for k in range(len(given))),
        places=places,
        given=tuple(given),
        trained=tuple(trained),
        heads=tuple(value(node, output) for node, output, _ in graph["heads"]),
    )


def inputs_of(folder: Path, workload: str) -> list[Any]:
    """Return the arrays that a workload is called with."""
    with np.load(folder / f"{workload}.npz") as held:
        return [held[f"input {k}"] for k in range(sum(name.startswith("input ") for name in held))]


def _parsed(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def _with_arrays_apart(nodes: list[Node]) -> list[Node]:
    """Return nodes in which an RNN takes its weights as they are, not as parts of the one vector that MXNet's takes."""
    made = {node.outputs[0]: node for node in nodes}
    packed = {v for node in nodes if node.op == _PACKING for v in (*node.inputs, *node.outputs)}
    found = []
    for node in nodes:
        if node.op == "RNN":
            vector = made[node.inputs[1]]
            arrays = [made[v].inputs[0] if v in made else v for v in vector.inputs]
            found.append(Node("RNN", (node.inputs[0], *arrays, *node.inputs[2:]), node.outputs, node.params))
        elif node.outputs[0] not in packed:
            found.append(node)
    return found
