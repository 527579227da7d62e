"""Calls into other libraries: numpy, math, time, random, copy, autograd, and Gluon's constructors."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hybridlint.analysis.model.answers import answers, answers_for_each
from hybridlint.analysis.model.events import Arguments, Concretize, ForeignCall, SideEffect
from hybridlint.analysis.model.lattice import parts
from hybridlint.analysis.model.records import record_type
from hybridlint.analysis.model.shapes import created_type, literal_shape, written_shape
from hybridlint.analysis.model.tables import words
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    TRUE_OR_FALSE,
    Block,
    Concrete,
    External,
    ForeignTensor,
    Items,
    NumpyArray,
    Outputs,
    ParameterRef,
    Partial,
    Static,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.mxnet.deferred import late_in
from hybridlint.analysis.mxnet.hooks import take_off
from hybridlint.analysis.mxnet.networks import is_network, layer_name
from hybridlint.analysis.mxnet.operators import tensors_in
from hybridlint.analysis.mxnet.scopes import scope_call
from hybridlint.analysis.mxnet.weighting import weighting_call
from hybridlint.analysis.project.program import is_block_name, is_hybrid_name
from hybridlint.analysis.python.builtin_calls import builtin
from hybridlint.analysis.python.changing_calls import changing_call
from hybridlint.analysis.python.closures import tensor_like
from hybridlint.analysis.python.frozen_calls import frozen_call
from hybridlint.analysis.python.functional import operator_call
from hybridlint.analysis.python.standard_library import library_call
from hybridlint.analysis.syntax.hashing import hashed
from hybridlint.analysis.syntax.iteration import iterate, steps
from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.types import TensorType

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

_SCALARS = words(
    """
    float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool_ float_ int_ double
    single half longlong intp
    """
)
#: Functions of numpy that reduce all their arguments to one number, and that correspond to no operator.
_TO_NUMBER = frozenset({"median", "ptp", "nanmean"})
_DEVICES = words("cpu gpu cpu_pinned Context current_context num_gpus")
#: Functions that read a tensor's shape or data into Python.
_SIZES = frozenset({"numpy.size", "numpy.ndim", "numpy.shape"})
_LOGGING = ("logging.", "warnings.warn", "sys.stdout.", "sys.stderr.")
_COPIES = frozenset({"copy.copy", "copy.deepcopy"})
#: Libraries whose functions need an array's data, or behave differently for a Symbol.
_NEED_DATA = frozenset({"numpy", "math", "copy", "cmath", "scipy", "statistics", "operator", "pickle", "torch"})
#: MXNet functions in Python that work on arrays.
_NEED_ARRAYS = (
    *("mxnet.gluon.utils.", "mxnet.image.", "mxnet.test_utils.", "mxnet.metric.", "mxnet.kvstore.", "mxnet.random."),
    *("mxnet.init.", "mxnet.initializer.", "mxnet.io.NDArrayIter", "mxnet.nd.NDArray.", "mxnet.np.ndarray."),
)
#: Constructors of objects that are called later, or whose methods are.
_CALLED_LATER = ("mxnet.metric.", "mxnet.kvstore.", "mxnet.init.", "mxnet.initializer.")
_MADE_FUNCTIONS = frozenset({"numpy.vectorize", "numpy.frompyfunc", "numpy.poly1d"})
#: Inspections by numpy that accept any object, with their results.
_ANSWERS = {
    "numpy.isscalar": False,
    "numpy.iterable": True,
    "numpy.iscomplexobj": False,
    "numpy.isrealobj": True,
}


#: The name that stands for an instance of an ``autograd.Function``, followed by the number of arrays it returns.
_FUNCTION = "mxnet.autograd.Function("
#: Handlers for one family of functions each; they return None for all others.
_FAMILIES = (changing_call, frozen_call, scope_call, take_off, library_call, weighting_call)


def _results(act: Activation, count: str) -> Value:
    """Return the result of an ``autograd.Function``: one array, a tuple of `count`, or an unknown value."""
    if not count:
        return act.tensor()
    return Items("tuple", tuple(act.tensor() for _ in range(int(count)))) if count.isdecimal() else Unknown()


def foreign_call(act: Activation, node: ast.Call, name: str, args: Arguments) -> Value:
    """Evaluate a call of a function that another library defines."""
    if name == "self.params" or name.startswith("self.params."):
        return _parameter(act, name.rpartition(".")[2], args)
    if name.startswith(_FUNCTION):
        if any(isinstance(value, Tensor) for value in tensors_in(args.values)):
            act.tell(ForeignCall, node, function="autograd.Function", arguments=args, operator=None)
        return _results(act, name.removeprefix(_FUNCTION).rstrip(")"))
    if name == "functools.cached()":
        hashed(act, node, *args.values, *args.keywords.values())
        return Unknown()
    if is_network(name):
        return Block(layer_name(name), hybrid=True, creation=node, stray=not act.role.building)
    if is_block_name(name) and name.rpartition(".")[2][:1].isupper():
        return _block(act, node, name, args)
    if name == "itertools.cycle" and args.values:
        iterate(act, args.values[0], node, "iteration")
    if name in {"mxnet.gluon.Parameter", "mxnet.gluon.Constant"}:
        return _parameter(act, "get" if name.endswith("Parameter") else "get_constant", args)
    if name in _MADE_FUNCTIONS or (name.startswith(_CALLED_LATER) and not name.endswith(")") and "()" not in name):
        return External(f"{name}()")
    if name.startswith("mxnet.random.") and name != "mxnet.random.seed" and not _told(args):
        return ForeignTensor(kept=True)
    if name.startswith(_LOGGING):
        act.tell(SideEffect, node, kind="log", target=act.module.source.code(node))
        return Static(None)
    known = (evaluates(act, node, name, args) for evaluates in _FAMILIES)
    special = next((value for value in known if value is not None), None)
    if special is not None:
        return special
    if name == "functools.partial" and args.values:
        return Partial(args.values[0], args.values[1:], args.keywords)
    if name.startswith("operator."):
        return operator_call(act, node, name.removeprefix("operator."), args)
    if name.startswith(("collections.", "types.", "typing.")):
        return _made(act, node, name, args)
    return _plain(act, node, name, args)


def _plain(act: Activation, node: ast.Call, name: str, args: Arguments) -> Value:
    told = _told(args)
    library, _, function = name.partition(".")
    if library == "numpy" and function in _SCALARS:
        return _scalar(act, node, function, args)
    if name == "copy.copy" and args.values and isinstance(args.values[0], Items):
        return replace(args.values[0], kept=False)
    if (
        library == "math"
        and not told
        and all(type(v) is Static and isinstance(v.value, int | float) for v in args.values)
    ):
        return Static(_computed(function, [v.value for v in args.values if isinstance(v, Static)]))
    if not told:
        return _untouched(library, function, args)
    if name in _ANSWERS and act.mode == "legacy":
        return Static(_ANSWERS[name], certain=True)
    if library in _NEED_DATA or name.startswith(_NEED_ARRAYS):
        act.tell(ForeignCall, node, function=name, arguments=args, operator=lookup.of_numpy(name.rpartition(".")[2]))
    if name in _COPIES:
        return _copied(act, args.values[0]) if args.values else Unknown()
    if name in _SIZES:
        return Concrete(name)
    if library == "numpy":
        return act.tensor() if function != "asarray" else NumpyArray()
    return Concrete(name) if library in {"math", "cmath"} else Unknown()


def _told(args: Arguments) -> list[Tensor | Outputs]:
    """Return the arguments that are certainly Symbols at the trace."""
    found = tensors_in([*args.values, *args.keywords.values()])
    return [v for v in found if isinstance(v, Outputs) or (isinstance(v, Tensor) and not v.optional)]


def _computed(function: str, numbers: list[Any]) -> Any:
    compute = getattr(math, function, None)
    try:
        return compute(*numbers) if compute is not None else STATIC_UNKNOWN
    except (TypeError, ValueError, ArithmeticError):
        return STATIC_UNKNOWN


def _copied(act: Activation, value: Value) -> Value:
    if isinstance(value, Tensor):
        return act.tensor(type=value.type, lineage=value.lineage)
    return tensor_like(act, value)


def _untouched(library: str, function: str, args: Arguments) -> Value:
    name = f"{library}.{function}"
    concrete = next((v for v in args.values if isinstance(v, Concrete)), None)
    arrays = any(isinstance(v, NumpyArray | Items) for v in args.values)
    if answers_for_each(name) and arrays:
        return NumpyArray(TensorType(None, "bool"))
    if answers(name) and concrete is None:
        return NumpyArray(TensorType(None, "bool")) if "axis" in args.keywords else TRUE_OR_FALSE
    if library == "math":
        return concrete or Static(STATIC_UNKNOWN)
    if library == "numpy":
        made = created_type(function, args)
        if made is not None:
            return NumpyArray(made)
        if any(isinstance(v, NumpyArray) for v in args.values):
            return NumpyArray()
        reduces = _makes_number(function) and "axis" not in args.keywords
        plain = _is_plain if reduces else lambda value: isinstance(value, Static)
        return Static(STATIC_UNKNOWN) if args.values and all(map(plain, args.values)) else Unknown()
    if library == "mxnet" and function.removeprefix("context.") in _DEVICES:
        return Static(STATIC_UNKNOWN)
    return Unknown()


def _is_plain(value: Value) -> bool:
    """Return whether a value is one of Python's own types, or a container of them."""
    return all(map(_is_plain, parts(value))) if isinstance(value, Items) else isinstance(value, Static)


def _scalar(act: Activation, node: ast.Call, name: str, args: Arguments) -> Value:
    value = args.values[0] if args.values else Static(0)
    if isinstance(value, Tensor) and not value.optional:
        act.tell(Concretize, node, how="float", value=value)
        return Concrete(name)
    known = value.value if isinstance(value, Static) else STATIC_UNKNOWN
    if isinstance(known, bool | int | float):
        known = bool(known) if name == "bool_" else known + 0
    return Static(known, numpy=True)


def _makes_number(name: str) -> bool:
    """Return whether a numpy function reduces its arguments to one number."""
    operator = lookup.of_numpy(name)
    return name in _TO_NUMBER or (operator is not None and properties.reduces_to_number(operator))


def _made(act: Activation, node: ast.Call, name: str, args: Arguments) -> Value:
    """Evaluate constructors of containers and records: ``OrderedDict``, ``deque``, ``namedtuple`` and others."""
    kind = name.rpartition(".")[2]
    if kind == "SimpleNamespace" and not args.values:
        return Items("record", tuple(args.keywords.values()), keys=tuple(args.keywords))
    if kind == "OrderedDict":
        return builtin(act, node, "dict", args)
    if kind in {"Counter", "defaultdict", "ChainMap"}:
        # A missing entry has a default, so the contents are unknown.
        return Items("dict", None, Unknown())
    if kind == "deque":
        return _deque(act, node, args)
    return record_type(name, args)


def _deque(act: Activation, node: ast.Call, args: Arguments) -> Items:
    if not args.values:
        return Items("deque", ())
    each = iterate(act, args.values[0], node, "list")
    bounded = len(args.values) > 1 or "maxlen" in args.keywords
    return Items("deque", None if bounded else steps(args.values[0]), each)


def _block(act: Activation, node: ast.Call, name: str, args: Arguments) -> Value:
    layer = name.rpartition(".")[2]
    arguments = {str(i): v for i, v in enumerate(args.values)} | dict(args.keywords)
    return Block(layer, is_hybrid_name(name), arguments, creation=node, stray=not act.role.building)


def _parameter(act: Activation, name: str, args: Arguments) -> Value:
    if name == "get":
        trained = args.keywords.get("grad_req") != Static("null")
        shape = args.keywords.get("shape")
        return ParameterRef(TensorType(written_shape(shape)), trained, late_in(shape))
    if name == "get_constant":
        value = args.keywords.get("value") or (args.values[1] if len(args.values) > 1 else None)
        return ParameterRef(TensorType(literal_shape(value)), trained=False)
    return Unknown()
