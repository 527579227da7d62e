"""Lists of operators that a conversion to mixed precision is given, checked as MXNet checks them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from hybridlint.runtime.contrib.amp.lists import symbol_fp16


def require_lists(target: Any, wide: Any, conditional: Any) -> None:
    """Raise AssertionError for arguments other than lists, an operator in two lists, and an unknown operator.

    None represents MXNet's own list.
    """
    for name, given in (("target_dtype_ops", target), ("fp32_ops", wide)):
        if given is not None and not isinstance(given, list):
            raise AssertionError(f"{name} should be a list of strs")
    if conditional is not None and not (
        isinstance(conditional, list) and all(_is_condition(row) for row in conditional)
    ):
        raise AssertionError("conditional_fp32_ops should be a list of (str, str, list of str)")
    conditions = symbol_fp16.CONDITIONAL_FP32_FUNCS if conditional is None else conditional
    chosen: Mapping[str, set[Any]] = {
        "target_dtype_ops": set(symbol_fp16.FP16_FUNCS if target is None else target),
        "fp32_ops": set(symbol_fp16.FP32_FUNCS if wide is None else wide),
        "conditional_fp32_ops": {row[0] for row in conditions},
    }
    for (first, ops), (second, others) in combinations(chosen.items(), 2):
        if ops & others:
            raise AssertionError(
                f"Ops cannot be in two or more lists. Common ops in {first} and {second} {ops & others}"
            )
    known = {*symbol_fp16.FP16_FUNCS, *symbol_fp16.FP32_FUNCS, *symbol_fp16.FP16_FP32_FUNCS}
    strange = set().union(*chosen.values()) - known - {row[0] for row in symbol_fp16.CONDITIONAL_FP32_FUNCS}
    if strange:
        raise AssertionError(f"choose operators of MXNet's lists of mixed precision: {strange} is in none of them")


def _is_condition(row: Any) -> bool:
    return isinstance(row, tuple) and len(row) == 3 and isinstance(row[2], list)
