"""MXNet for the interpreter of Python: the one implementation of `Dialect` and of `Semantics`."""

from __future__ import annotations

from hybridlint.analysis.model.dialect import Dialect
from hybridlint.analysis.model.lattice import stand_for
from hybridlint.analysis.model.tables import words
from hybridlint.analysis.mxnet import attributes, classes, library_calls, names, numpy_mode, type_tests
from hybridlint.analysis.mxnet.added_names import is_replaced
from hybridlint.analysis.mxnet.blocks.calls import self_method
from hybridlint.analysis.mxnet.blocks.children import any_child
from hybridlint.analysis.mxnet.blocks.inherited_methods import inherited_method
from hybridlint.analysis.mxnet.blocks.parameters import alters, has_weights
from hybridlint.analysis.mxnet.control_flow.calls import RUNS_ALL, RUNS_ONCE
from hybridlint.analysis.mxnet.inputs.declared_kinds import declared_result
from hybridlint.analysis.mxnet.inputs.unknown_calls import shown_receiver, shown_result
from hybridlint.analysis.mxnet.namespace_texts import text_of
from hybridlint.analysis.mxnet.operators import array_member_names, calls  # noqa: F401
from hybridlint.analysis.mxnet.operators.failures import failure_classes
from hybridlint.analysis.mxnet.operators.operands import operator_failure
from hybridlint.analysis.mxnet.operators.unreached_calls import found_operators
from hybridlint.analysis.mxnet.scopes import modes_given
from hybridlint.analysis.semantics import Semantics, register

#: MXNet functions in Python that work on arrays.
_NEED_ARRAYS = (
    *("mxnet.gluon.utils.", "mxnet.image.", "mxnet.test_utils.", "mxnet.metric.", "mxnet.kvstore.", "mxnet.random."),
    *("mxnet.init.", "mxnet.initializer.", "mxnet.io.NDArrayIter", "mxnet.nd.NDArray.", "mxnet.np.ndarray."),
)
_DEVICES = words("cpu gpu cpu_pinned Context current_context num_gpus")

MXNET = Dialect(
    prefix=f"{names.PACKAGE}.",
    entry=classes.ENTRY,
    called_by_library=classes.CALLED_BY_BLOCKS,
    compiled="_active",
    is_block=names.is_block_name,
    is_hybrid=names.is_hybrid_name,
    external=names.external,
    member=names.namespace_member,
    imported=names.import_meaning,
    mode=numpy_mode.mode_of_file,
    class_mode=numpy_mode.mode_of_class,
    mode_is_open=numpy_mode.mode_is_open,
    is_replaced=is_replaced,
    keeping=array_member_names.KEEPING,
    readers=array_member_names.READERS,
    layout=array_member_names.LAYOUT,
    runs_all=RUNS_ALL,
    runs_once=RUNS_ONCE,
    seeds=frozenset({"mxnet.random.seed", "mxnet.np.random.seed", "mxnet.npx.random.seed"}),
    modes={
        "mxnet.autograd.is_training": words("record pause train_mode predict_mode is_training"),
        "mxnet.autograd.is_recording": words("record pause is_recording"),
    },
    modes_given=modes_given,
    places=frozenset({"mxnet.current_context", "mxnet.context.current_context"}),
    needs_arrays=_NEED_ARRAYS,
    settings=frozenset(f"mxnet.{module}{name}" for module in ("", "context.") for name in _DEVICES),
)

stand_for("nd", "sym", "F")
register(
    Semantics(
        identity=type_tests.identity,
        type_of=type_tests.type_of,
        is_instance=type_tests.is_instance,
        is_subclass=type_tests.is_subclass,
        has_attribute=attributes.has_attribute,
        objects=array_member_names.OBJECTS,
        text_of=text_of,
        operator_failure=operator_failure,
        raised=failure_classes,
        lacks=attributes.lacks,
        look_up=attributes.look_up,
        own_attribute=attributes.own_attribute,
        self_method=self_method,
        inherited_method=inherited_method,
        shown_result=shown_result,
        shown_receiver=shown_receiver,
        declared_result=declared_result,
        found_operators=found_operators,
        library_call=library_calls.library_call,
        member_call=library_calls.member_call,
        alters=alters,
        has_weights=has_weights,
        any_child=any_child,
    )
)
