"""``mx.test_utils``: comparisons, random inputs and gradient checks for tests of code that uses this API.

MXNet's helpers for several devices are not here.
"""

from __future__ import annotations

# Tests get these names from `from mxnet.test_utils import *`.
import bz2
import errno
import gzip
import json
import logging
import numbers
import os
import platform
import struct
import sys
import time
import traceback
import zipfile
from collections import OrderedDict
from contextlib import contextmanager

import numpy as np
import numpy.testing as npt
from numpy import random as rnd

import hybridlint.runtime as mx
from hybridlint.runtime.context import Context, current_context
from hybridlint.runtime.ndarray import array
from hybridlint.runtime.symbol import Symbol
from hybridlint.runtime.test_utils.checks import (
    check_consistency,
    check_gluon_hybridize_consistency,
    check_numeric_gradient,
    check_symbolic_backward,
    check_symbolic_forward,
    compare_optimizer,
    numeric_grad,
    same_symbol_structure,
    simple_forward,
)
from hybridlint.runtime.test_utils.comparison import (
    almost_equal,
    assert_allclose,
    assert_almost_equal,
    assert_almost_equal_ignore_nan,
    assert_almost_equal_with_err,
    assert_exception,
    checkShapes,
    collapse_sum_like,
    compare_ndarray_tuple,
    locationError,
    same,
    same_array,
)
from hybridlint.runtime.test_utils.downloads import (
    download,
    get_bz2_data,
    get_cifar10,
    get_im2rec_path,
    get_mnist,
    get_mnist_iterator,
    get_mnist_pkl,
    get_mnist_ubyte,
    get_zip_data,
)
from hybridlint.runtime.test_utils.environment import (
    discard_stderr,
    environment,
    getenv,
    has_tvm_ops,
    is_aarch64_run,
    is_cd_run,
    is_op_runnable,
    list_gpus,
    retry,
    set_default_context,
    setenv,
)
from hybridlint.runtime.test_utils.inputs import (
    assign_each,
    assign_each2,
    create_2d_tensor,
    create_vector,
    np_reduce,
    rand_coord_2d,
    rand_ndarray,
    rand_shape_2d,
    rand_shape_3d,
    rand_shape_nd,
    random_arrays,
    random_sample,
    random_uniform_arrays,
)
from hybridlint.runtime.test_utils.iterators import DummyIter
from hybridlint.runtime.test_utils.matrices import (
    get_identity_mat,
    get_identity_mat_batch,
    new_matrix_with_real_eigvals_2d,
    new_matrix_with_real_eigvals_nd,
    new_orthonormal_matrix_2d,
    new_sym_matrix_with_real_eigvals_2d,
    new_sym_matrix_with_real_eigvals_nd,
)
from hybridlint.runtime.test_utils.sparse_inputs import (
    _get_powerlaw_dataset_csr,
    _get_uniform_dataset_csr,
    _validate_csr_generation_inputs,
    create_sparse_array,
    create_sparse_array_zd,
    rand_sparse_ndarray,
    shuffle_csr_column_indices,
)
from hybridlint.runtime.test_utils.speed import check_speed
from hybridlint.runtime.test_utils.statistics import (
    chi_square_check,
    gen_buckets_probs_with_ppf,
    mean_check,
    var_check,
    verify_generator,
)
from hybridlint.runtime.test_utils.tolerance import (
    default_atols,
    default_context,
    default_dtype,
    default_numeric_eps,
    default_rtols,
    effective_dtype,
    get_atol,
    get_etol,
    get_rtol,
    get_tolerance,
    get_tols,
)
from hybridlint.runtime.util import use_np

__all__ = [name for name in globals() if not name.startswith("_") and name not in {"annotations"}]
