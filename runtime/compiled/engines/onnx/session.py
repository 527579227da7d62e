"""An ONNX model in ONNX Runtime, and the library, which the extra `onnx` installs."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from typing import Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.engines.threads import wished_threads
from hybridlint.runtime.platforms import Platform, Raw

#: The packages of the extra; both are needed.
PACKAGES = ("onnx", "onnxruntime")
#: ONNX Runtime logs only errors, which it also raises.
_ERRORS = 3


def is_installed() -> bool:
    """Whether the packages are there. They are not imported."""
    return all(importlib.util.find_spec(package) is not None for package in PACKAGES)


class Refused(ValueError):
    """ONNX Runtime rejects a model; the text is ONNX Runtime's."""


class OnnxSession:
    """A model that computes values of a graph; `inputs` and `outputs` map its names to the numbers of these values.

    It runs on as many threads as OMP_NUM_THREADS says, else on one for each core. Calls are safe from several threads.
    Raises Refused for a model with an operator, or a dtype of one, that ONNX Runtime lacks.
    """

    def __init__(self, model: Any, inputs: Mapping[str, int], outputs: Mapping[str, int], platform: Platform) -> None:
        self._xp = platform.xp
        self.library: Any = importlib.import_module("onnxruntime")
        self.text: str = importlib.import_module("onnx.printer").to_text(model)
        self._inputs = dict(inputs)
        self._outputs = dict(outputs)
        options = self.library.SessionOptions()
        options.log_severity_level = _ERRORS
        options.intra_op_num_threads = wished_threads()
        try:
            self._session = self.library.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            # Its exceptions have no common base of their own.
            raise Refused(" ".join(str(error).split())) from error

    def run(self, values: list[Any]) -> None:
        """Add the results of the model to the values. Raises MXNetError if ONNX Runtime fails."""
        given = {name: self._in_order(values[value]) for name, value in self._inputs.items()}
        try:
            made = self._session.run(list(self._outputs), given)
        except Exception as error:
            raise MXNetError(f"ONNX Runtime fails: {' '.join(str(error).split())}") from error
        for value, raw in zip(self._outputs.values(), made, strict=True):
            values[value] = self._xp.asarray(raw)

    def _in_order(self, raw: Any) -> Raw:
        """Return an array as the library takes it; kernels may make numbers of numpy where there are no axes."""
        ready = type(raw) is self._xp.ndarray and raw.flags.c_contiguous
        ordered: Raw = raw if ready else self._xp.require(raw, requirements="C")
        return ordered
