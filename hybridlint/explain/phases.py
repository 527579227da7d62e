"""The phase of MXNet in which an exception was raised, by the frames of the traceback."""

from __future__ import annotations

import re

from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.explain.traceback_info import RaisedError
from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True)
class ProgramPhase:
    """Work of MXNet, told by the functions that do it, and what is worth knowing of an error there."""

    functions: re.Pattern[str]
    meaning: str


#: The innermost work stands first: a trace happens within a call, and a call within training.
_PHASES = (
    ProgramPhase(
        re.compile(r"mxnet\.gluon\.block\.(?:_deferred_infer_shape|infer_shape|_infer_attrs)$"),
        "MXNet was inferring the shapes of parameters from the graph, at the first call of the block.",
    ),
    ProgramPhase(
        re.compile(r"mxnet\.(?:_ctypes|_cy3)\.\w+\.__call__$|mxnet\.cython\."),
        "The compiled graph was being run: the traceback names no line of `hybrid_forward`, and the line above is the "
        "call. Without `hybridize()`, the traceback ends at the operator.",
    ),
    ProgramPhase(
        re.compile(r"mxnet\.(?:autograd|ndarray\.ndarray|numpy\.multiarray)\.backward$"),
        "Gradients were being computed: the operator that fails is one of the forward pass.",
    ),
    ProgramPhase(
        re.compile(r"mxnet\.ndarray\.ndarray\.(?:asnumpy|asscalar|wait_to_read|waitall|copyto)$|\.(?:item|tolist)$"),
        "The program was waiting for a result. MXNet computes later than it is called, so that an earlier operator may "
        "have failed; with the environment variable MXNET_ENGINE_TYPE=NaiveEngine, the line is that of the operator.",
    ),
    ProgramPhase(
        re.compile(r"mxnet\.gluon\.(?:block\.(?:load\w*|imports|export|save\w*)|parameter\.(?:load\w*|save\w*))$"),
        "A file was being read or written.",
    ),
    ProgramPhase(re.compile(r"mxnet\.gluon\.trainer\.\w+$"), "A Trainer was at work."),
    ProgramPhase(
        re.compile(r"mxnet\.gluon\.(?:block|parameter)\.(?:initialize|_init\w*|_finish\w*)$|mxnet\.initializer\."),
        "Parameters were being initialized.",
    ),
    ProgramPhase(
        re.compile(r"mxnet\.gluon\.data\."),
        "Data was being loaded.",
    ),
)
_TRACE = re.compile(r"mxnet\.gluon\.block\.(?:_get_graph|_build_cache)$")
_BLOCK_CALL = re.compile(r"mxnet\.gluon\.block\.(?:__call__|forward)$")


def phase_of(error: RaisedError) -> str | None:
    """Return MXNet's activity when an exception was raised; None if the frames do not show it."""
    functions = [frame.mxnet_function for frame in error.frames if frame.mxnet_function is not None]
    in_forward = bool(error.user_frames) and any(
        frame.function.rpartition(".")[2] == ENTRY for frame in error.user_frames
    )
    if in_forward and any(map(_TRACE.search, functions)):
        return "A graph was being traced: the tensors of `hybrid_forward` were Symbols, without numbers and shapes."
    if in_forward and any(map(_BLOCK_CALL.search, functions)):
        return "The block ran eagerly, on NDArrays: hybridizing is not the cause."
    for phase in _PHASES:
        if any(map(phase.functions.search, error.mxnet_functions)):
            return phase.meaning
    return None
