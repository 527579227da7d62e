"""Checks of symbols: outputs and gradients against expected ones, against finite differences, between dtypes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hybridlint.runtime import autograd, random
from hybridlint.runtime.context import Context
from hybridlint.runtime.ndarray import NDArray, array
from hybridlint.runtime.symbol import Symbol
from hybridlint.runtime.symbol.node import topological
from hybridlint.runtime.test_utils.comparison import assert_almost_equal, compare_ndarray_tuple, plain
from hybridlint.runtime.test_utils.inputs import rand_ndarray
from hybridlint.runtime.test_utils.tolerance import default_context, default_numeric_eps


def simple_forward(sym: Symbol, ctx: Context | None = None, is_train: bool = False, **inputs: Any) -> Any:
    """Return outputs (numpy data; one, or a list) of a symbol on inputs given by name."""
    executor = sym.bind(ctx or default_context(), {k: array(v) for k, v in inputs.items()})
    outputs = [output.asnumpy() for output in executor.forward(is_train=is_train)]
    return outputs[0] if len(outputs) == 1 else outputs


def check_symbolic_forward(
    sym: Symbol,
    location: Any,
    expected: Any,
    rtol: Any = None,
    atol: Any = None,
    aux_states: Any = None,
    ctx: Context | None = None,
    equal_nan: bool = False,
    dtype: Any = np.float32,
) -> list[NDArray]:
    """Compare outputs with expected ones, in order or by name, and return them. Raises AssertionError."""
    executor = sym.bind(
        ctx or default_context(),
        _arguments(sym, location, dtype),
        aux_states=_auxiliary(sym, aux_states, dtype),
    )
    outputs: list[NDArray] = executor.forward(is_train=False)
    wanted = [expected[n] for n in sym.list_outputs()] if isinstance(expected, Mapping) else list(expected)
    for name, found, value in zip(sym.list_outputs(), outputs, wanted, strict=True):
        assert_almost_equal(value, found, rtol, atol, (f"expected {name}", name), equal_nan=equal_nan)
    return outputs


def check_symbolic_backward(
    sym: Symbol,
    location: Any,
    out_grads: Any,
    expected: Any,
    rtol: Any = None,
    atol: Any = None,
    aux_states: Any = None,
    grad_req: Any = "write",
    ctx: Context | None = None,
    grad_stypes: Any = None,
    equal_nan: bool = False,
    dtype: Any = np.float32,
) -> dict[str, NDArray]:
    """Compare gradients of arguments with expected ones, as `grad_req` has them written, and return them.

    `location`, `out_grads`, `expected` and `grad_req` are in order or by name. Raises AssertionError.
    """
    arguments = _arguments(sym, location, dtype)
    names = sym.list_arguments()
    wanted = dict(expected) if isinstance(expected, Mapping) else dict(zip(names, expected, strict=False))
    requests = _requests(names, grad_req)
    before = {name: np.random.normal(size=np.shape(plain(value))) for name, value in wanted.items()}
    gradients = {name: array(start, dtype=arguments[name].dtype) for name, start in before.items()}
    stypes = (
        dict(grad_stypes) if isinstance(grad_stypes, Mapping) else dict(zip(names, grad_stypes or (), strict=False))
    )
    gradients = {name: gradient.tostype(stypes.get(name) or "default") for name, gradient in gradients.items()}
    before = {name: gradient.asnumpy() for name, gradient in gradients.items()}
    executor = sym.bind(ctx or default_context(), arguments, gradients, requests, _auxiliary(sym, aux_states, dtype))
    executor.forward(is_train=True)
    executor.backward(_heads(sym, out_grads, executor.outputs))
    for name, value in wanted.items():
        target = {"write": plain(value), "add": before[name] + plain(value), "null": before[name]}[requests[name]]
        assert_almost_equal(target, gradients[name], rtol, atol, (f"expected {name}", name), equal_nan=equal_nan)
    return gradients


def _heads(sym: Symbol, out_grads: Any, outputs: Sequence[NDArray]) -> list[NDArray] | None:
    if out_grads is None:
        return None
    given = [out_grads[n] for n in sym.list_outputs()] if isinstance(out_grads, Mapping) else list(out_grads)
    # As in MXNet, gradients beyond the outputs are ignored.
    return [g if isinstance(g, NDArray) else array(g, dtype=o.dtype) for g, o in zip(given, outputs, strict=False)]


def check_numeric_gradient(
    sym: Symbol,
    location: Any,
    aux_states: Any = None,
    numeric_eps: float | None = None,
    rtol: Any = None,
    atol: Any = None,
    grad_nodes: Any = None,
    use_forward_train: bool = True,
    ctx: Context | None = None,
    grad_stype_dict: Any = None,
    dtype: Any = np.float32,
) -> None:
    """Compare gradients of a symbol of one output, on a random head gradient, with central finite differences.

    `grad_nodes` are the arguments to look at, or a mapping of them to a `grad_req`. Raises AssertionError.
    """
    arguments = _arguments(sym, location, dtype)
    requests = _requests([n for n in arguments if n in sym.list_arguments()], grad_nodes or "write")
    auxiliary = _auxiliary(sym, aux_states, dtype)
    starts = {name: np.random.normal(size=arguments[name].shape).astype(arguments[name].dtype) for name in requests}
    gradients = {name: array(start, dtype=start.dtype) for name, start in starts.items()}
    stypes = grad_stype_dict or {}
    gradients = {name: gradient.tostype(stypes.get(name) or "default") for name, gradient in gradients.items()}
    executor = sym.bind(ctx or default_context(), arguments, gradients, requests, auxiliary)
    executor.forward(is_train=True)
    if len(executor.outputs) != 1:
        raise ValueError(f"a gradient is checked for one output, the symbol has {len(executor.outputs)}")
    head = np.random.normal(size=executor.outputs[0].shape) + 0.1
    executor.backward([array(head, dtype=executor.outputs[0].dtype)])
    eps = numeric_eps or default_numeric_eps()[np.dtype(dtype)]
    written = {name: gradient.asnumpy() for name, gradient in gradients.items()}
    values = {name: arguments[name].asnumpy() for name, request in requests.items() if request != "null"}
    slopes = numeric_grad(executor, values, _copies(auxiliary), eps, use_forward_train, dtype, head=head)
    for name, request in requests.items():
        found = written[name] - starts[name] if request == "add" else written[name]
        target = starts[name] if request == "null" else slopes[name]
        assert_almost_equal(target, found, rtol, atol, (f"numeric gradient of {name}", f"gradient of {name}"))


def numeric_grad(
    executor: Any,
    location: Mapping[str, Any],
    aux_states: Mapping[str, Any] | None = None,
    eps: float = 1e-4,
    use_forward_train: bool = True,
    dtype: Any = np.float32,
    *,
    head: Any = 1.0,
) -> dict[str, Any]:
    """Return central finite differences of the sum of the first output, weighted by `head`, for arguments by name."""

    def weighted() -> float:
        for name, state in (aux_states or {}).items():
            executor.aux_dict[name][:] = state
        output = executor.forward(is_train=use_forward_train)[0]
        return float(np.sum(output.asnumpy().astype(np.float64) * head))

    slopes = {}
    for name, value in location.items():
        if np.dtype(value.dtype).kind != "f":
            continue
        slope = slopes[name] = np.zeros(value.shape, dtype)
        moved = value.copy()
        for place in np.ndindex(value.shape):
            sides = []
            for step in (eps / 2, -eps / 2):
                moved[place] = value[place] + step
                executor.arg_dict[name][:] = moved
                sides.append(weighted())
            moved[place] = value[place]
            slope[place] = (sides[0] - sides[1]) / eps
        executor.arg_dict[name][:] = value
    return slopes


def check_consistency(
    sym: Any,
    ctx_list: Sequence[Mapping[str, Any]],
    scale: float = 1.0,
    grad_req: Any = "write",
    arg_params: Mapping[str, Any] | None = None,
    aux_params: Mapping[str, Any] | None = None,
    rtol: Any = None,
    atol: Any = None,
    raise_on_err: bool = True,
    ground_truth: Any = None,
    equal_nan: bool = False,
    use_uniform: bool = False,
    rand_type: Any = np.float64,
) -> dict[str, Any]:
    """Run one symbol, or several, with the same numbers in several dtypes and compare with the most precise run.

    `ctx_list` describes the runs: a context, shapes of arguments by name and a `type_dict`. Returns outputs and
    gradients of the most precise run. Raises AssertionError.
    """
    symbols = [sym] * len(ctx_list) if isinstance(sym, Symbol) else list(sym)
    executors = [s.simple_bind(grad_req=grad_req, **dict(run)) for s, run in zip(symbols, ctx_list, strict=True)]
    draw = np.random.uniform if use_uniform else np.random.normal
    given = {**dict(arg_params or {}), **dict(aux_params or {})}
    numbers = {n: given[n] if n in given else _draw(draw, a.shape, scale) for n, a in executors[0].arg_dict.items()}
    states = {n: plain(given.get(n, 0.0)) for n in executors[0].aux_dict}
    runs = []
    for symbol, executor in zip(symbols, executors, strict=True):
        for name, argument in zip(symbol.list_arguments(), executor.arg_arrays, strict=True):
            argument[:] = plain(numbers[name])
        for name in executor.aux_dict:
            executor.aux_dict[name][:] = states[name]
        runs.append(_consistency_run(executor, grad_req))
    best = max(range(len(runs)), key=lambda k: np.dtype(executors[k].outputs[0].dtype).itemsize)
    truth = runs[best] if ground_truth is None else ground_truth
    for run in runs:
        for name, value in run.items():
            if raise_on_err:
                assert_almost_equal(value, truth[name], rtol, atol, (name, f"true {name}"), equal_nan=equal_nan)
    return dict(truth)


def _draw(draw: Callable[..., Any], shape: Sequence[int], scale: float) -> Any:
    return draw(size=tuple(shape)) * scale


def _consistency_run(executor: Any, grad_req: Any) -> dict[str, Any]:
    executor.forward(is_train=grad_req != "null")
    found = {f"output {k}": output.asnumpy() for k, output in enumerate(executor.outputs)}
    if grad_req != "null":
        executor.backward(list(executor.outputs))
        found.update({f"gradient of {n}": g.asnumpy() for n, g in executor.grad_dict.items() if g is not None})
    return found


def check_gluon_hybridize_consistency(
    net_builder: Callable[..., Any],
    data_l: Sequence[NDArray],
    numpy_func: Callable[..., Any] | None = None,
    test_grad: bool = True,
    rtol: float = 1e-4,
    atol: float = 1e-4,
) -> None:
    """Compare a block's outputs and gradients before and after hybridize; and with a function on numpy data.

    Raises AssertionError.
    """
    saved: dict[str, NDArray] = {}
    results = []
    for hybridize in (False, True):
        net = net_builder(prefix="net_")
        net.initialize()
        if hybridize:
            net.hybridize()
        inputs = [x.copy() for x in data_l]
        net(*inputs)
        params = net.collect_params()
        for name, parameter in params.items():
            parameter.set_data(saved.setdefault(name, parameter.data()))
        if test_grad:
            for x in inputs:
                x.attach_grad()
        with autograd.record(train_mode=False):
            output = net(*inputs)
        if test_grad:
            output.backward(output)
        gradients = [x.grad for x in inputs] if test_grad else []
        gradients += [p.grad() for p in params.values() if test_grad and p.grad_req != "null"]
        results.append((output, *gradients))
    compare_ndarray_tuple(results[0], results[1], rtol, atol)
    if numpy_func is not None:
        assert_almost_equal(numpy_func(*[x.asnumpy() for x in data_l]), results[0][0], rtol, atol)


def compare_optimizer(
    opt1: Any,
    opt2: Any,
    shape: Any,
    dtype: Any,
    w_stype: str = "default",
    g_stype: str = "default",
    rtol: float = 1e-4,
    atol: float = 1e-5,
    compare_states: bool = True,
    ntensors: int = 1,
) -> None:
    """Compare what two optimizers make of the same weights and gradients. Raises AssertionError.

    The first gets them as dense arrays, one after another, so that it may be a plain reference; the second gets them
    in the given storage, all of them at once.
    """
    shapes = list(shape) if isinstance(shape, list) else [shape] * ntensors
    weights = [_of_storage(s, w_stype, dtype, density=1) for s in shapes]
    gradients = [_of_storage(s, g_stype, dtype) for s in shapes]
    dense = ([x.tostype("default") if x._is_sparse else x.copy() for x in arrays] for arrays in (weights, gradients))
    first, second = _updated(opt1, *dense), _updated(opt2, weights, gradients, joint=len(shapes) > 1)
    if compare_states:
        for state1, state2 in zip(first, second, strict=True):
            compare_ndarray_tuple(state1[0], state2[0], rtol, atol)
    for state1, state2 in zip(first, second, strict=True):
        assert_almost_equal(state1[1], state2[1], rtol, atol)


def _of_storage(shape: Any, stype: str, dtype: Any, density: float | None = None) -> NDArray:
    if stype == "default":
        found: NDArray = random.uniform(shape=shape, dtype=dtype)
    else:
        found = rand_ndarray(shape, stype, density=density, dtype=dtype)
    return found


def _updated(
    optimizer: Any, weights: list[NDArray], gradients: list[NDArray], *, joint: bool = False
) -> list[tuple[Any, NDArray]]:
    """Return each parameter's state and weight after one step, which updates all at once if `joint`."""
    states = [optimizer.create_state_multi_precision(k, w) for k, w in enumerate(weights)]
    if joint:
        optimizer.update_multi_precision(list(range(len(weights))), weights, gradients, states)
        return list(zip(states, weights, strict=True))
    for k, (weight, gradient, state) in enumerate(zip(weights, gradients, states, strict=True)):
        optimizer.update_multi_precision(k, weight, gradient, state)
    return list(zip(states, weights, strict=True))


def same_symbol_structure(sym1: Symbol, sym2: Symbol) -> bool:
    """Return whether two graphs are equal up to names: the same operators, output counts and connections."""
    return _structure(sym1) == _structure(sym2)


def _structure(sym: Symbol) -> list[Any]:
    nodes = topological(sym._entries)
    place = {id(node): k for k, node in enumerate(nodes)}
    return [
        (n.op and n.op.name, n.visible if n.op else 1, [e and (place[id(e[0])], e[1]) for e in n.inputs]) for n in nodes
    ]


def _arguments(sym: Symbol, location: Any, dtype: Any) -> dict[str, NDArray]:
    """Return arguments by name; numpy data become arrays of `dtype` (their own if it is ``"asnumpy"``).

    Raises ValueError if names do not fit.
    """
    names = sym.list_arguments()
    if isinstance(location, Mapping):
        if set(location) != set(names):
            raise ValueError(f"location has {sorted(location)}, the symbol's arguments are {sorted(names)}")
        given = {n: location[n] for n in names}
    else:
        given = dict(zip(names, location, strict=True))
    return {name: _as_array(value, dtype) for name, value in given.items()}


def _auxiliary(sym: Symbol, aux_states: Any, dtype: Any) -> dict[str, NDArray]:
    if aux_states is None:
        return {}
    names = sym.list_auxiliary_states()
    given = aux_states if isinstance(aux_states, Mapping) else dict(zip(names, aux_states, strict=True))
    return {name: _as_array(value, dtype) for name, value in given.items()}


def _as_array(value: Any, dtype: Any) -> NDArray:
    if isinstance(value, NDArray):
        return value
    data = np.asarray(value)
    return array(data, dtype=data.dtype if isinstance(dtype, str) else dtype)


def _copies(arrays: Mapping[str, NDArray]) -> dict[str, Any]:
    return {name: value.asnumpy() for name, value in arrays.items()}


def _requests(names: Sequence[str], given: Any) -> dict[str, str]:
    if isinstance(given, str):
        return dict.fromkeys(names, given)
    if isinstance(given, Mapping):
        return {name: given.get(name, "null") for name in names if name in given}
    if given and given[0] in {"write", "add", "null"}:
        return dict(zip(names, given, strict=True))
    return dict.fromkeys(given, "write")
