"""``import_to_gluon``: an ONNX file read as a block."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.contrib.onnx.onnx2mx.import_model import checked, get_model_metadata, import_model
from hybridlint.runtime.gluon.symbol_block import SymbolBlock
from hybridlint.runtime.symbol import var


def import_to_gluon(model_file: Any, ctx: Any) -> SymbolBlock:
    """Return a SymbolBlock that computes what an ONNX file computes, with its parameters on a context.

    Raises what `import_model` raises.
    """
    symbol, arguments, states = import_model(model_file)
    names = [row[0] for row in get_model_metadata(model_file)["input_tensor_data"]]
    block = checked(model_file, lambda: SymbolBlock(symbol, [var(name) for name in names]))
    params = block.collect_params()
    for name, array in {**arguments, **states}.items():
        if name in params:
            params[name].cast(array.dtype)
            params[name]._load_init(array, ctx)
    return block
