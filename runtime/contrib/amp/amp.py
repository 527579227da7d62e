"""``mx.contrib.amp.amp``: automatic mixed precision, for training and for networks that are there."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.context import Context, cpu
from hybridlint.runtime.contrib.amp.casting import Casting
from hybridlint.runtime.contrib.amp.conversion import converted, with_narrow_variables
from hybridlint.runtime.contrib.amp.given_lists import require_lists
from hybridlint.runtime.contrib.amp.lists import symbol_fp16
from hybridlint.runtime.contrib.amp.loss_scaler import LossScaler
from hybridlint.runtime.core import mixed_precision
from hybridlint.runtime.core.mixed_precision import Condition, Precision
from hybridlint.runtime.gluon import HybridBlock, Parameter, SymbolBlock, Trainer
from hybridlint.runtime.module import BucketingModule
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.symbol import Symbol
from hybridlint.runtime.symbol.signature import settled_types

#: Programs that run with and without it test this flag.
_amp_initialized = False
_loss_scaler: LossScaler | None = None


def init(
    target_dtype: str = "float16",
    target_precision_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Sequence[Condition] | None = None,
    fp32_ops: Sequence[str] | None = None,
) -> None:
    """Cast the inputs of all operators that are called from here on. The lists add operators to MXNet's own.

    Raises AssertionError for another dtype, NotImplementedError for bfloat16.
    """
    global _amp_initialized, _loss_scaler  # noqa: PLW0603
    if _amp_initialized:
        return
    _require(target_dtype)
    logging.info("Using AMP")
    precision = _precision(
        [*list_lp16_ops(target_dtype), *(target_precision_ops or ())],
        [*list_fp32_ops(target_dtype), *(fp32_ops or ())],
        [*list_conditional_fp32_ops(target_dtype), *(conditional_fp32_ops or ())],
        target_dtype,
    )
    casting = Casting(precision)
    mixed_precision.mix(casting.arrays, casting.symbols)
    _loss_scaler = LossScaler()
    _amp_initialized = True


def _require(target_dtype: str) -> None:
    if target_dtype not in {"float16", "bfloat16"}:
        raise AssertionError("AMP currently supports only float16 or bfloat16 as a target_dtype")
    if target_dtype == "bfloat16":
        raise NotImplementedError("the bundled runtime has no arrays of bfloat16: use float16")


def _precision(narrow: Sequence[str], wide: Sequence[str], conditional: Sequence[Condition], dtype: str) -> Precision:
    losses = list_loss_output_functions(dtype)
    return Precision(narrow, wide, list_widest_type_cast(dtype), conditional, losses, dtype)


# -- training


def init_trainer(optimizer_or_trainer: Any) -> None:
    """Let a Trainer scale its losses, and skip steps whose gradients overflow. Raises AssertionError before `init`."""
    if not _amp_initialized or _loss_scaler is None:
        raise AssertionError("AMP not initialized, did you forget to call amp.init()?")
    if not isinstance(optimizer_or_trainer, Trainer):
        raise TypeError(f"optimizer_or_trainer should be a Gluon Trainer, got {type(optimizer_or_trainer)}")
    optimizer_or_trainer._amp_loss_scaler = LossScaler()
    optimizer_or_trainer._amp_original_scale = optimizer_or_trainer._scale


@contextmanager
def scale_loss(loss: Any, optimizer_or_trainer: Any) -> Iterator[Any]:
    """Yield a loss, or a list of them, times the scale that the trainer divides gradients by."""
    scaler = _scaler_of(optimizer_or_trainer)
    optimizer_or_trainer._scale = optimizer_or_trainer._amp_original_scale / scaler.loss_scale
    if isinstance(loss, (list, tuple)):
        yield [one * scaler.loss_scale for one in loss]
    else:
        yield loss * scaler.loss_scale


def unscale(optimizer_or_trainer: Any) -> None:
    """Divide the gradients by the scale of the losses, so that they can be clipped."""
    _scaler_of(optimizer_or_trainer)
    for param in optimizer_or_trainer._params:
        for gradient in param.list_grad() if param.grad_req != "null" else ():
            gradient[:] = gradient * optimizer_or_trainer._scale
    optimizer_or_trainer._scale = 1.0


def _scaler_of(trainer: Any) -> LossScaler:
    scaler: LossScaler | None = getattr(trainer, "_amp_loss_scaler", None)
    if scaler is None:
        raise AssertionError("Loss scaler is not initialized, did you forget to call amp.init_trainer()?")
    return scaler


# -- networks that are there


def convert_symbol(
    sym: Symbol,
    target_dtype: str = "float16",
    target_dtype_ops: Sequence[str] | None = None,
    fp32_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Sequence[Condition] | None = None,
    excluded_sym_names: Sequence[str] | None = None,
    data_names: Sequence[str] | None = None,
    cast_optional_params: bool = False,
) -> Symbol:
    """Return a graph in mixed precision; with `cast_optional_params` its parameters are narrow where they can be.

    Without `data_names` no input is known for a parameter. Raises ValueError for excluded names that no node has,
    MXNetError for names of data that no input has, AssertionError for lists of operators that MXNet does not take.
    """
    if not isinstance(sym, Symbol):
        raise AssertionError("First argument to convert_symbol should be Symbol")
    _require(target_dtype)
    require_lists(target_dtype_ops, fp32_ops, conditional_fp32_ops)
    strange = next((name for name in data_names or () if name not in sym.list_inputs()), None)
    if strange is not None:
        raise MXNetError(f"argument name {strange} not found. Candidate arguments: {sym.list_inputs()}")
    precision = _precision(
        list_lp16_ops(target_dtype) if target_dtype_ops is None else target_dtype_ops,
        list_fp32_ops(target_dtype) if fp32_ops is None else fp32_ops,
        list_conditional_fp32_ops(target_dtype) if conditional_fp32_ops is None else conditional_fp32_ops,
        target_dtype,
    )
    result = converted(sym, precision, set(excluded_sym_names or ()))
    if cast_optional_params and data_names is not None:
        result = with_narrow_variables(result, set(data_names), target_dtype)
    return result


def convert_model(
    sym: Symbol,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    target_dtype: str = "float16",
    target_dtype_ops: Sequence[str] | None = None,
    fp32_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Sequence[Condition] | None = None,
    excluded_sym_names: Sequence[str] | None = None,
    cast_optional_params: bool = False,
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """Return a graph in mixed precision with its parameters, in the dtypes that it wants."""
    data = [name for name in sym.list_inputs() if name not in arg_params and name not in aux_params]
    options = (target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names, data)
    result = convert_symbol(sym, *options, cast_optional_params)
    arguments, _, states = settled_types(result, {name: "float32" for name in data if name in sym.list_arguments()})
    wanted = dict(zip(result.list_arguments(), arguments, strict=True))
    wanted.update(zip(result.list_auxiliary_states(), states, strict=True))

    def cast(params: Mapping[str, NDArray]) -> dict[str, NDArray]:
        return {name: array.astype(wanted.get(name, array.dtype)) for name, array in params.items()}

    return result, cast(arg_params), cast(aux_params)


def convert_hybrid_block(
    block: HybridBlock,
    target_dtype: str = "float16",
    target_dtype_ops: Sequence[str] | None = None,
    fp32_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Sequence[Condition] | None = None,
    excluded_sym_names: Sequence[str] | None = None,
    ctx: Context | None = None,
    cast_optional_params: bool = False,
) -> SymbolBlock:
    """Return a hybridized block that has run as a SymbolBlock in mixed precision.

    Raises RuntimeError for one that has not run, AssertionError for what is no HybridBlock.
    """
    if not isinstance(block, HybridBlock):
        raise AssertionError("block input should be a HybridBlock")
    if block._trace_ is None or block._compiled_ is None:
        raise RuntimeError(
            "Please first call block.hybridize() and then run forward with this block at least once before calling "
            "export."
        )
    graph = block._trace_.graph
    states = set(graph.list_auxiliary_states())
    arrays = {source.name: source._reduce() for source in block._compiled_.sources if isinstance(source, Parameter)}
    result, args, aux = convert_model(
        graph,
        {name: array for name, array in arrays.items() if name not in states},
        {name: array for name, array in arrays.items() if name in states},
        target_dtype,
        target_dtype_ops,
        fp32_ops,
        conditional_fp32_ops,
        excluded_sym_names,
        cast_optional_params,
    )
    made = SymbolBlock(result, list(block._trace_.inputs))
    for name, param in made.collect_params().items():
        param._load_init({**args, **aux}[name], ctx or cpu(), cast_dtype=True, dtype_source="saved")
    return made


def convert_bucketing_module(
    bucketing_mod: BucketingModule,
    target_dtype: str = "float16",
    target_dtype_ops: Sequence[str] | None = None,
    fp32_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Sequence[Condition] | None = None,
    excluded_sym_names: Sequence[str] | None = None,
    cast_optional_params: bool = False,
) -> BucketingModule:
    """Return a bucketing module whose graphs are in mixed precision, with the parameters of the first."""
    options = (target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names)
    generate = bucketing_mod._sym_gen

    def narrow(key: Any) -> Any:
        symbol, data, labels = generate(key)
        return convert_symbol(symbol, *options, data, cast_optional_params), data, labels

    made = BucketingModule(narrow, bucketing_mod._default_bucket_key, **bucketing_mod._options)
    first = generate(bucketing_mod._default_bucket_key)[0]
    arguments, states = bucketing_mod.get_params()
    _, args, states = convert_model(
        first,
        arguments,
        states,
        target_dtype,
        target_dtype_ops,
        fp32_ops,
        conditional_fp32_ops,
        excluded_sym_names,
        cast_optional_params,
    )
    made._loaded = (args, states)
    made.params_initialized = True
    return made


# -- lists of operators


def list_lp16_ops(target_dtype: str) -> list[str]:
    """Return the operators that compute in the narrow dtype."""
    return _fp16(target_dtype).FP16_FUNCS  # type: ignore[no-any-return]


def list_fp32_ops(target_dtype: str) -> list[str]:
    """Return the operators that compute in float32."""
    return _fp16(target_dtype).FP32_FUNCS  # type: ignore[no-any-return]


def list_lp16_fp32_ops(target_dtype: str) -> list[str]:
    """Return the operators that compute in what they are given."""
    return _fp16(target_dtype).FP16_FP32_FUNCS  # type: ignore[no-any-return]


def list_conditional_fp32_ops(target_dtype: str) -> list[Any]:
    """Return the operators that compute in float32 for some values of a parameter."""
    return _fp16(target_dtype).CONDITIONAL_FP32_FUNCS  # type: ignore[no-any-return]


def list_widest_type_cast(target_dtype: str) -> list[str]:
    """Return the operators whose inputs get the widest of their dtypes."""
    return _fp16(target_dtype).WIDEST_TYPE_CASTS  # type: ignore[no-any-return]


def list_loss_output_functions(target_dtype: str) -> list[str]:
    """Return the losses."""
    return _fp16(target_dtype).LOSS_OUTPUT_FUNCTIONS  # type: ignore[no-any-return]


def list_lp16_use_fp32_params(target_dtype: str) -> Any:
    """Return which inputs stay float32 beside narrow data; None for float16."""
    return getattr(_fp16(target_dtype), "FP16_USE_FP32_PARAMS", None)


def _fp16(target_dtype: str) -> Any:
    if target_dtype != "float16":
        raise AssertionError("not supported type")
    return symbol_fp16
