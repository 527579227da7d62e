"""Kernels in the form from which native code is made compute what the kernels themselves do."""

from __future__ import annotations

import numpy as np
import pytest

from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts.registry import Operator, Sample
from tests.runtime.compiled.test_samples import arrays_of, cases


@pytest.mark.parametrize(("operator", "sample"), cases(lambda operator, sample: operator.native is not None))
def test_the_native_form_computes_the_same(operator: Operator, sample: Sample) -> None:
    raws = [array._data for array in arrays_of(operator, sample)]
    params = {**operator.defaults(), **normalize(operator, sample.params)}
    assert operator.native is not None
    found, wanted = operator.native(np, *raws, **params), operator.kernel(np, *raws, **params)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
