"""Builds and runs the converted blocks in PyTorch, on the inputs and weights of a run on the bundled runtime."""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from hybridlint.converting.gluon_names import NAMING
from hybridlint.converting.reading import READER
from hybridlint.proving.child.limits import limit
from hybridlint.proving.child.sandbox.confinement import enter


def run_networks(task: Mapping[str, Any]) -> None:
    """Run each block that the task describes, and write `torch.json` and the arrays of each call."""
    import torch

    torch.set_num_threads(1)
    limit(task)
    enter(task)
    results: dict[str, Any] = {}
    sys.path[:0] = task["roots"]
    namespace: dict[str, Any] = {"__name__": "converted"}
    try:
        exec(compile(task["text"], "converted.py", "exec"), namespace)
        failure = None
    except Exception as error:
        failure = f"the converted module cannot be imported: {_sentence(error)}"
    for block in task["run"]:
        results[block["stem"]] = (
            {"reason": failure} if failure else _Network(torch, namespace, block, task["scratch"]).results()
        )
    with open(os.path.join(task["scratch"], "torch.json"), "w", encoding="utf-8") as file:
        json.dump(results, file)


class _Network:
    """One block: its class in the converted module, its setup, and the calls to repeat."""

    def __init__(self, torch: Any, namespace: Mapping[str, Any], block: Mapping[str, Any], scratch: str) -> None:
        self.torch = torch
        self.namespace = namespace
        self.block = block
        self.stem = os.path.join(scratch, block["stem"])
        #: The shapes of Gluon's parameters.
        self.shapes: dict[str, tuple[int, ...]] = {}
        #: Elements of each channel that a batch normalization has seen, by the name of its variance.
        self.counts: dict[str, list[int]] = {}

    def results(self) -> dict[str, Any]:
        """Return for each call what failed; arrays are written."""
        failures: list[str | None] = []
        try:
            net = self._built()
            first = next(call for call in self.block["calls"] if "inputs" in call)
            net.eval()
            with self.torch.no_grad():
                net(*self._inputs(0, first))
            names = self._load(net)
            start = {name: value.clone() for name, value in net.state_dict().items()}
            self._watch(net)
        except Exception as error:
            return {"reason": _sentence(error)}
        for number, call in enumerate(self.block["calls"]):
            if "inputs" not in call:
                failures.append(None)
                continue
            try:
                net.load_state_dict(start)
                results = self._run(net, number, call, names)
                np.savez(f"{self.stem}-{number}.torch.npz", **results)
                failures.append(None)
            except Exception as error:
                failures.append(_sentence(error))
        return {"failures": failures, "normalized": sorted(self.counts), "loaded": sorted(names.values())}

    def _built(self) -> Any:
        known = {"np": np, **self.namespace}
        args = [eval(text, known) for text in self.block["args"]]
        kwargs = {name: eval(text, known) for name, text in self.block["kwargs"].items()}
        cls = self.namespace[self.block["name"]]
        taken = inspect.signature(cls).parameters
        # Arguments that name blocks in Gluon are left out of the new class.
        kwargs = {name: value for name, value in kwargs.items() if name in taken or name not in NAMING}
        return cls(*args, **kwargs)

    def _load(self, net: Any) -> dict[str, str]:
        """Load the weights as the converted module's own function does; return Gluon's names by those of PyTorch."""
        if "state" in self.block:
            with np.load(os.path.join(os.path.dirname(self.stem), self.block["state"]), allow_pickle=False) as arrays:
                state = {name: self.torch.from_numpy(np.array(arrays[name])) for name in arrays.files}
            absent = net.load_state_dict(state, strict=False)
            left = [name for name in absent.missing_keys if not name.endswith("num_batches_tracked")]
            if left or absent.unexpected_keys:
                raise ValueError(f"the weights do not fit: {[*left, *absent.unexpected_keys][0]}")
            return {}
        space: dict[str, Any] = {"np": np, "torch": self.torch, "nn": self.torch.nn}
        exec(compile(READER, "reader.py", "exec"), space)
        arrays = space["read_gluon"](f"{self.stem}.params")
        taken: dict[str, str] = {}
        plain = net.load_state_dict

        def noted(state: Mapping[str, Any], **options: Any) -> Any:
            left = list(arrays.items())
            for name, value in state.items():
                at = next(k for k, (_, array) in enumerate(left) if self._is_of(value, array))
                taken[name] = left[at][0]
                self.shapes[taken[name]] = tuple(left[at][1].shape)
                del left[: at + 1]
            return plain(state, **options)

        space["read_gluon"] = lambda _path: arrays
        net.load_state_dict = noted
        space["load_gluon"](net, "")
        del net.load_state_dict
        return taken

    def _watch(self, net: Any) -> None:
        """Count the elements that each batch normalization averages over, in train mode."""
        for name, module in net.named_modules():
            if isinstance(module, self.torch.nn.modules.batchnorm._BatchNorm):
                place = f"{name}.running_var" if name else "running_var"
                module.register_forward_pre_hook(self._counter(place))
            if isinstance(module, (self.torch.nn.modules.dropout._DropoutNd,)):
                module.p = 0.0
            if isinstance(module, self.torch.nn.RNNBase):
                module.dropout = 0.0

    def _counter(self, place: str) -> Any:
        def count(module: Any, inputs: Sequence[Any]) -> None:
            if module.training:
                data = inputs[0]
                self.counts.setdefault(place, []).append(data.numel() // data.shape[1])

        return count

    def _inputs(self, number: int, call: Mapping[str, Any]) -> list[Any]:
        with np.load(f"{self.stem}-{number}.npz", allow_pickle=False) as arrays:
            return [self._input(tree, arrays) for tree in call["inputs"]]

    def _input(self, tree: Mapping[str, Any], arrays: Mapping[str, Any]) -> Any:
        if "list" in tree:
            return [self._input(item, arrays) for item in tree["list"]]
        if "array" in tree:
            tensor = self.torch.from_numpy(np.array(arrays[f"in {tree['array']}"]))
            return tensor.long() if tree["integers"] else tensor
        return eval(tree["value"], {"np": np, **self.namespace})

    def _run(self, net: Any, number: int, call: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
        torch = self.torch
        net.train(call["mode"] == "train")
        net.zero_grad()
        self.counts.clear()
        torch.manual_seed(0)
        inputs = self._inputs(number, call)
        leaves = list(_leaves(inputs, self.block["inputs"]))
        for _, leaf in leaves:
            leaf.requires_grad_(leaf.is_floating_point())
        before = {name: value.clone() for name, value in net.state_dict().items() if name.endswith("running_var")}
        with self._drawn(number):
            outputs = net(*inputs)
        results: dict[str, Any] = {f"out {name}": _array(leaf) for name, leaf in _flat(outputs, "output")}
        total = self._total(outputs)
        if total is not None and total.requires_grad:
            total.backward()
        for name, leaf in leaves:
            if leaf.grad is not None:
                results[f"out gradient of {name}"] = _array(leaf.grad)
        for name, parameter in net.named_parameters(remove_duplicate=False):
            if parameter.grad is not None and name in names:
                results[f"out gradient of {names[name]}"] = self._of_groups(names[name], _array(parameter.grad))
        for name, value in net.state_dict().items():
            if name in names:
                corrected = self._biased(net, name, before.get(name), value)
                corrected = _array(corrected)
                if corrected.shape == self.shapes[names[name]]:
                    results[f"out state {names[name]}"] = corrected
        return results

    def _is_of(self, value: Any, array: Any) -> bool:
        """Whether a parameter is an array of the checkpoint, or repeats its elements."""
        if value is array:
            return True
        if value.dim() != 1 or array.dim() != 1 or not len(array) or len(value) % len(array):
            return False
        return bool(self.torch.equal(array.repeat_interleave(len(value) // len(array)), value))

    def _of_groups(self, name: str, gradient: Any) -> Any:
        """Return a gradient of channels as that of the groups that share a parameter in Gluon."""
        shape = self.shapes[name]
        return gradient if gradient.shape == shape else gradient.reshape(*shape, -1).sum(-1)

    def _biased(self, net: Any, name: str, before: Any, after: Any) -> Any:
        """Return a moving variance as MXNet computes it, from the biased variance of a batch."""
        seen = self.counts.get(name, [])
        if before is None or len(seen) != 1 or seen[0] < 2 or self.torch.equal(before, after):
            return after
        module = net.get_submodule(name.rpartition(".")[0])
        kept = 1 - module.momentum
        return kept * before + (after - kept * before) * (seen[0] - 1) / seen[0]

    @contextmanager
    def _drawn(self, number: int) -> Iterator[None]:
        """Have PyTorch's functions return the random numbers that the other side has drawn, in the same order."""
        with np.load(f"{self.stem}-{number}.npz", allow_pickle=False) as arrays:
            drawn = [arrays[f"draw {k}"] for k in range(sum(name.startswith("draw ") for name in arrays.files))]
        if not drawn:
            yield
            return
        left = iter(drawn)

        def draw(*_: Any, **__: Any) -> Any:
            return self.torch.from_numpy(np.array(next(left)))

        names = ("randn", "randn_like", "rand", "rand_like")
        plain = {name: getattr(self.torch, name) for name in names}
        try:
            for name in names:
                setattr(self.torch, name, draw)
            yield
        finally:
            for name, function in plain.items():
                setattr(self.torch, name, function)
        if next(left, None) is not None:
            raise ValueError("it draws fewer random numbers than MXNet")

    def _total(self, outputs: Any) -> Any:
        """Return the same weighted sum of all outputs that the other side differentiates."""
        total = None
        for k, (_, leaf) in enumerate(_flat(outputs, "output")):
            if not hasattr(leaf, "is_floating_point") or not leaf.is_floating_point():
                continue
            weights = np.cos(np.arange(leaf.numel(), dtype="float64") * 0.7 + k).reshape(leaf.shape) + (k + 1)
            term = (leaf * self.torch.from_numpy(np.asarray(weights)).to(leaf.dtype)).sum().float()
            total = term if total is None else total + term
        return total


def _leaves(inputs: Sequence[Any], names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for value, name in zip(inputs, names):  # noqa: B905 - a block may take fewer
        yield from _flat(value, name)


def _flat(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the tensors in nested lists, tuples and dictionaries with their paths."""
    if isinstance(value, (list, tuple)):
        for k, item in enumerate(value):
            yield from _flat(item, f"{path}[{k}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _flat(item, f"{path}[{key!r}]")
    elif hasattr(value, "detach"):
        yield path, value


def _array(tensor: Any) -> Any:
    return tensor.detach().cpu().numpy()


def _sentence(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else ''}"[:300]
