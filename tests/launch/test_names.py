"""Under the name mxnet, every module of MXNet 1.9.1 imports and has every name, private ones too, as measured."""

from __future__ import annotations

import subprocess
import sys

#: A run of its own, as it imports all modules.
PROGRAM = """
import importlib
from hybridlint.launch.serve import serve
from hybridlint.launch.mxnet_names import table
from hybridlint.launch.transitive_names import names_of
serve()
for name in table():
    module = importlib.import_module(f"mxnet.{name}" if name else "mxnet")
    for missing in [key for key in names_of(name) if not hasattr(module, key)]:
        print(name, missing)
"""

#: A library of others, which MXNet needs for downloads and this program does not.
OF_OTHERS = {"gluon.utils requests", "test_utils requests"}
#: Objects that MXNet keeps books in, which nothing here reads or writes.
BOOKS = {
    "base _NP_OUTPUT_IS_LIST_OPERATORS",
    "contrib.onnx.onnx2mx._import_helper _convert_map",
    "ndarray.ndarray _c_str_dltensor",
    "ndarray.ndarray _c_str_used_dltensor",
    "ndarray.sparse _STORAGE_AUX_TYPES",
    "numpy.multiarray _NUMPY_ARRAY_FUNCTION_DICT",
    "numpy.multiarray _NUMPY_ARRAY_UFUNC_DICT",
    "numpy.utils _ONP_OP_MODULES",
    "operator _registry",
    "registry _REGISTRY",
    "rtc _DTYPE_CPP_TO_NP",
    "test_utils _features",
    "util _np_ufunc_default_kwargs",
}
#: A class of distutils, which Python 3.12 has removed.
REMOVED = {"numpy_op_fallback StrictVersion"} if sys.version_info >= (3, 12) else set()


def answer(program: str) -> str:
    """Return what a program prints on the runtime as mxnet."""
    served = f"from hybridlint.launch.serve import serve\nserve()\n{program}"
    return subprocess.run([sys.executable, "-c", served], capture_output=True, text=True, check=True).stdout


def test_every_module_has_every_name() -> None:
    found = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert set(found.stdout.splitlines()) <= OF_OTHERS | REMOVED | BOOKS


def test_a_star_import_brings_what_mxnets_module_imports() -> None:
    program = "from mxnet.autograd import *\nprint(NDArray.__name__, c_array.__name__, ctypes.__name__)"
    assert answer(program) == "NDArray c_array ctypes\n"


def test_the_plugin_of_pytest_keeps_pytest_from_importing_the_runtime() -> None:
    program = (
        "import importlib.abc, importlib.machinery, sys\n"
        "class Rewriting(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        return importlib.machinery.PathFinder.find_spec(name, path)\n"
        "sys.meta_path.insert(0, Rewriting())\n"
        "import hybridlint.frontends.plugins.pytest_plugin\n"
        "from mxnet.autograd import *\nprint(NDArray.__module__)"
    )
    assert answer(program) == "mxnet.ndarray.ndarray\n"


def test_generated_modules_hold_the_operators() -> None:
    program = (
        "from mxnet.ndarray import gen_op, op\n"
        "from mxnet.symbol.gen_linalg import gemm2\n"
        "print(gen_op.dot is op.dot, gemm2.__name__)"
    )
    assert answer(program) == "True gemm2\n"


def test_what_is_missing_says_so_when_it_is_called() -> None:
    program = (
        "from mxnet.space import ConfigSpace\n"
        "class Own(ConfigSpace): pass\n"
        "try:\n    Own()\nexcept NotImplementedError as error:\n    print(error)"
    )
    assert answer(program) == "mxnet.space.ConfigSpace is not supported by the bundled runtime\n"


def test_numbers_and_texts_are_mxnets() -> None:
    program = "import mxnet.lr_scheduler, mxnet.model\nprint(mxnet.lr_scheduler.pi, mxnet.model.SKLEARN_INSTALLED)"
    assert answer(program) == "3.141592653589793 False\n"


def test_a_star_import_goes_without_libraries_that_are_not_installed() -> None:
    program = (
        "import sys\n"
        "class Without:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'requests': raise ModuleNotFoundError(name)\n"
        "sys.modules.pop('requests', None)\n"
        "import importlib.util\n"
        "found = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *a: None if name == 'requests' else found(name, *a)\n"
        "sys.meta_path.insert(0, Without())\n"
        "from mxnet.test_utils import *\n"
        "print(json.__name__, 'requests' in dir())"
    )
    assert answer(program) == "json False\n"


def test_private_names_are_there_or_say_why_not() -> None:
    program = """
from mxnet.autograd import *
from mxnet.base import _LIB, _Null, NDArrayHandle, SymbolHandle
from mxnet.gluon.block import load_json
from mxnet.numpy_op_signature import _get_builtin_op
import mxnet as mx
import mxnet.gluon.contrib.rnn.rnn_cell
import mxnet.image.image
print(NDArray is mx.nd.NDArray, _Null, mx.nd.np._internal.__name__, _get_builtin_op("_np_sum") is mx.np.sum)
print(_get_builtin_op("_npi_add"), mx.optimizer.SGD(learning_rate=0.5)._get_lrs([0, 1]))
print(mx.sym.var("x")._infer_shape_impl(True, x=(2,)))
for call in (mx.nd._internal._CachedOp, lambda: _LIB.MXGetVersion()):
    try:
        call()
    except NotImplementedError as error:
        print(error)
"""
    lines = answer(program).splitlines()
    assert lines[:3] == [
        "True _Null mxnet.ndarray.numpy._internal True",
        "None [0.5, 0.5]",
        "([(2,)], [(2,)], [])",
    ]
    assert [line.partition(" is ")[0] for line in lines[3:]] == [
        "mxnet.ndarray._internal._CachedOp",
        "MXGetVersion",
    ]
