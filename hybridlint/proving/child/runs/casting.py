"""A plan and a block cast to another float type."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.proving.child.build.blocks import Names
from hybridlint.proving.child.runs.runs import CallPlan
from hybridlint.proving.child.specs.spec import Spec, TensorSpec


def cast_plan(plan: CallPlan, dtype: str) -> CallPlan:
    """Return the plan with inputs of `dtype` in place of float32."""
    return plan._replace(inputs={name: _cast(spec, dtype) for name, spec in plan.inputs.items()})


def cast_block(block: Any, plan: CallPlan, dtype: str) -> CallPlan:
    """Cast a block to `dtype`, and return the plan with parameter values cast to the block's new dtypes."""
    block.cast(dtype)
    # The block may have other names for its parameters than the one that the values are from.
    own = Names(block, plan.reference).known
    dtypes = {name: np.dtype(p.dtype) for name, p in own.items()}
    values = {name: value.astype(dtypes.get(name, value.dtype)) for name, value in plan.values.items()}
    return plan._replace(values=values)


def _cast(spec: Spec, dtype: str) -> Spec:
    if isinstance(spec, list):
        return [_cast(item, dtype) for item in spec]
    if isinstance(spec, TensorSpec) and spec.dtype == "float32" and not spec.integers:
        return spec.cast(dtype)
    return spec
