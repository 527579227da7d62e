"""Ask the real MXNet 1.9.1 what operators give on their samples, and keep the answers beside this file.

    python tests/goldens/make.py PYTHON_WITH_MXNET [OPERATOR ...]

Only the named operators are asked again; all where none is named. This file runs in both interpreters, so it stays
within Python 3.8.
"""

from __future__ import annotations

import ctypes
import json
import math
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np

ANSWERS = Path(__file__).parent / "operators.json"

#: Operators that MXNet can run in graphs, and not eagerly: it does not infer their shapes there.
IN_GRAPHS = {"_contrib_quantized_elemwise_mul"}

#: Gradients that MXNet chose rather than derived: a loss, a surrogate, or none on purpose.
CHOSEN_GRADIENTS = {
    "BlockGrad",
    "IdentityAttachKLSparseReg",
    "LeakyReLU",
    "LinearRegressionOutput",
    "LogisticRegressionOutput",
    "MAERegressionOutput",
    "MakeLoss",
    "ROIPooling",
    "SVMOutput",
    "SoftmaxOutput",
    "_contrib_MultiBoxDetection",
    "_contrib_MultiBoxPrior",
    "_contrib_MultiBoxTarget",
    "_contrib_MultiProposal",
    "_contrib_Proposal",
    "_contrib_ROIAlign",
    "_contrib_bipartite_matching",
    "_contrib_box_decode",
    "_contrib_box_encode",
    "_contrib_box_iou",
    "_contrib_box_nms",
    "_contrib_gradientmultiplier",
    "_contrib_round_ste",
    "_contrib_sign_ste",
    "_image_adjust_lighting",
    "_image_flip_left_right",
    "_image_flip_top_bottom",
    "_npi_percentile",
    "_npi_rot90",
    "_npi_std",
    "_npi_unique",
    "_npi_var",
    "_random_pdf_generalized_negative_binomial",
    "_random_pdf_negative_binomial",
    "_random_pdf_poisson",
    "make_loss",
    "_npi_eig",
    "_npi_eigh",
    "_npi_eigvals",
    "_npi_eigvalsh",
    "_npi_pinv",
    "_npi_pinv_scalar_rcond",
    "_contrib_quantize",
    "_contrib_quantize_v2",
    "_contrib_quantized_embedding",
    "_contrib_quantized_batch_norm",
}


def describe(operator: Any) -> list[dict[str, Any]]:
    """Return what both interpreters need of an operator's samples, as plain data."""
    return [
        {
            "shapes": [list(shape) for shape in sample.shapes],
            "params": {k: list(v) if isinstance(v, tuple) else v for k, v in sample.params.items()},
            "low": sample.low,
            "high": sample.high,
            "dtypes": [*sample.dtypes, *["float32"] * (len(sample.shapes) - len(sample.dtypes))],
        }
        for sample in operator.samples
    ]


def draw(sample: dict[str, Any]) -> list[Any]:
    """Draw the input arrays of a sample; the same numbers in every interpreter and on every machine."""
    seed = zlib.crc32(json.dumps(sample, sort_keys=True).encode())
    generator = np.random.RandomState(seed)
    pairs = zip(sample["shapes"], sample["dtypes"])  # noqa: B905 - Python 3.8 has no strict
    return [_draw(generator, sample, shape, dtype) for shape, dtype in pairs]


def _draw(generator: Any, sample: dict[str, Any], shape: list[int], dtype: str) -> Any:
    low, high = sample["low"], sample["high"]
    if dtype.startswith("float"):
        return generator.uniform(low, high, shape).astype(dtype)
    if dtype == "bool":
        return generator.randint(0, 2, shape).astype(dtype)
    return generator.randint(math.ceil(low), math.floor(high) + 1, shape).astype(dtype)


def key_of(name: str, sample: dict[str, Any]) -> str:
    """Return the key of an answer; it changes with the sample, so that stale answers are not found."""
    return name + " " + json.dumps(sample, sort_keys=True)


def answer(name: str, sample: dict[str, Any]) -> dict[str, Any]:
    """Run the operator of the real library on a sample; return its visible outputs, or its complaint."""
    import mxnet as mx  # type: ignore

    with mx.util.np_shape(True):
        inputs = [mx.nd.array(array, dtype=array.dtype) for array in draw(sample)]
    params = {k: tuple(v) if isinstance(v, list) else v for k, v in sample["params"].items()}
    try:
        if name in CHOSEN_GRADIENTS:
            return _differentiated(name, inputs, params)
        with mx.util.np_shape(name.startswith("_np")):
            outputs = (_bind if name in IN_GRAPHS else _invoke)(name, inputs, params)
        found = {"outputs": [_plain(output.asnumpy()) for output in outputs]}
        states = _changed(draw(sample), inputs)
        return dict(found, states=states) if states else found
    except Exception as error:  # the library maps its errors to many classes
        return {"error": str(error).strip().splitlines()[-1]}


def _changed(before: list[Any], after: list[Any]) -> dict[str, Any]:
    """Return the inputs that the operator changed, by position."""
    pairs = enumerate(zip(before, after))  # noqa: B905 - Python 3.8 has no strict
    return {str(k): _plain(new.asnumpy()) for k, (old, new) in pairs if not np.array_equal(old, new.asnumpy())}


def _differentiated(name: str, inputs: list[Any], params: dict[str, Any]) -> dict[str, Any]:
    import mxnet as mx

    for array in inputs:
        array.attach_grad()
    with mx.autograd.record(train_mode=False):
        outputs = _invoke(name, inputs, params)
    heads = heads_for([output.asnumpy() for output in outputs])
    mx.autograd.backward(outputs, [mx.nd.array(head, dtype=head.dtype) for head in heads], train_mode=False)
    return {
        "outputs": [_plain(output.asnumpy()) for output in outputs],
        "gradients": [_plain(array.grad.asnumpy()) for array in inputs],
    }


def heads_for(outputs: list[Any]) -> list[Any]:
    """Draw the gradients that come from above to outputs."""
    generator = np.random.RandomState(5)
    return [generator.uniform(0.5, 1.5, output.shape).astype(output.dtype) for output in outputs]


def _invoke(name: str, inputs: list[Any], params: dict[str, Any]) -> list[Any]:
    from mxnet._ctypes.ndarray import _imperative_invoke  # type: ignore
    from mxnet.base import _LIB, c_str, check_call  # type: ignore

    handle = ctypes.c_void_p()
    check_call(_LIB.NNGetOpHandle(c_str(name), ctypes.byref(handle)))
    texts = [ctypes.c_char_p() for _ in range(4)]
    count, key = ctypes.c_int(), ctypes.c_char_p()
    lists = [ctypes.POINTER(ctypes.c_char_p)() for _ in range(3)]
    check_call(
        _LIB.MXSymbolGetAtomicSymbolInfo(
            handle,
            ctypes.byref(texts[0]),
            ctypes.byref(texts[1]),
            ctypes.byref(count),
            *[ctypes.byref(x) for x in lists],
            ctypes.byref(key),
            ctypes.byref(texts[2]),
        )
    )
    if key.value and key.value.decode() not in params:
        # The ends of ranges follow the arrays that are joined.
        each = 3 if name == "_contrib_quantized_concat" else 1
        params = dict(params, **{key.value.decode(): len(inputs) // each})
    result = _imperative_invoke(
        handle.value, inputs, list(params), [str(v) for v in params.values()], _room(name, inputs, params), False, False
    )
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _bind(name: str, inputs: list[Any], params: dict[str, Any]) -> list[Any]:
    import mxnet as mx

    function = getattr(mx.sym.contrib, name[len("_contrib_") :])
    given = {f"x{k}": array for k, array in enumerate(inputs)}
    return list(function(*map(mx.sym.var, given), **params).bind(mx.cpu(), given).forward())


def _room(name: str, inputs: list[Any], params: dict[str, Any]) -> list[Any] | None:
    """Return arrays for the new weights of updates of several, whose shapes MXNet does not infer."""
    if "multi_" not in name or not name.endswith("_update"):
        return None
    count = params.get("num_weights", params.get("num_tensors", 1))
    size = (len(inputs) - 2 * name.startswith("preloaded") - ("adamw" in name)) // count
    return [inputs[k * size].copy() for k in range(count)]


def _plain(array: Any) -> dict[str, Any]:
    digits = {"float16": 5, "float32": 9, "float64": 17}.get(array.dtype.name)
    values = array.ravel().tolist()
    return {
        "shape": list(array.shape),
        "dtype": array.dtype.name,
        "values": values if digits is None else [float(f"{v:.{digits}g}") for v in values],
    }


def serve() -> None:
    """Answer the questions on standard input, one a line."""
    for line in sys.stdin:
        name, sample = json.loads(line)
        print(json.dumps(answer(name, sample)), flush=True)


def main(interpreter: str, names: list[str]) -> None:
    """Write the answers file anew for the named operators."""
    from hybridlint.runtime.facts import registry

    kept = json.loads(ANSWERS.read_text()) if ANSWERS.exists() else {}
    chosen = [op for op in registry.operators() if not op.internal and (not names or op.name in names)]
    questions = [(op.name, sample) for op in chosen for sample in describe(op)]
    asked = subprocess.run(
        [interpreter, __file__, "--serve"],
        input="".join(json.dumps(q) + "\n" for q in questions),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answers = dict(zip((key_of(*q) for q in questions), map(json.loads, asked.stdout.splitlines()), strict=True))
    current = {key_of(op.name, sample) for op in registry.operators() for sample in describe(op)}
    merged = {k: v for k, v in sorted({**kept, **answers}.items()) if k in current}
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in merged.items())
    ANSWERS.write_text("{\n" + lines + "\n}\n")
    for key, found in answers.items():
        if "error" in found:
            print(key, "->", found["error"])


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        main(sys.argv[1], sys.argv[2:])
