"""Public functions and methods take the parameters that MXNet's take, in their order, as measured on MXNet."""

from __future__ import annotations

from pathlib import Path

from tests.launch.test_names import answer

GOLDENS = Path(__file__).parents[1] / "goldens"

PROGRAM = f"""
import importlib.util, inspect, json, warnings
warnings.simplefilter("ignore")
spec = importlib.util.spec_from_file_location("signatures", {str(GOLDENS / "signatures.py")!r})
measure = importlib.util.module_from_spec(spec)
spec.loader.exec_module(measure)
for path, wanted in json.load(open({str(GOLDENS / "signatures.json")!r})).items():
    module, _, name = path.partition(":")
    found = importlib.import_module("mxnet." + module)
    try:
        for part in name.split("."):
            found = inspect.getattr_static(found, part) if isinstance(found, type) else getattr(found, part)
        if measure.parameters(getattr(found, "__func__", found)) != wanted:
            print(path)
    except AttributeError:
        print(path)
"""

#: Functions that the runtime has under their names alone: calling one says so. Readers of handles and queues in C.
REFUSED = """
    contrib.quantization:combine_histogram gluon.data.dataloader:ConnectionWrapper.__init__
    gluon.data.dataloader:ConnectionWrapper.recv gluon.data.dataloader:ConnectionWrapper.send
    gluon.data.dataloader:DataLoaderV1.__init__ gluon.data.dataloader:Queue.__init__
    gluon.data.dataloader:SimpleQueue.__init__ gluon.data.dataloader:fetcher_loop_v1
    gluon.data.dataloader:rebuild_ndarray gluon.data.dataloader:rebuild_np_ndarray
    gluon.data.dataloader:reduce_ndarray gluon.data.dataloader:reduce_np_ndarray gluon.data.dataloader:worker_loop_v1
    gluon.utils:HookHandle.attach image.detection:ImageDetIter.draw_next io.io:MXDataIter.debug_skip_load
    metric:PearsonCorrelation.update_cov metric:PearsonCorrelation.update_variance
    optimizer.optimizer:Updater.sync_state_context rnn.rnn:rnn_unroll test_utils:download_model
    util:np_ufunc_legal_option util:wrap_np_binary_func util:wrap_np_unary_func
"""
#: Where MXNet collects arguments, or takes a handle, and the runtime names what it takes.
NAMED = """
    contrib.text.embedding:create contrib.text.embedding:register executor:Executor.__init__
    gluon.block:HybridBlock.optimize_for gluon.nn.activations:GELU.__init__ gluon.nn.activations:SELU.__init__
    gluon.nn.basic_layers:Flatten.__init__ gluon.rnn.rnn_cell:SequentialRNNCell.hybrid_forward
    gluon.utils:HookHandle.__init__ image.detection:ImageDetIter.augmentation_transform image.image:copyMakeBorder
    image.image:imdecode image.image:imread image.image:imresize io.io:CSVIter io.io:ImageRecordIter
    io.io:ImageRecordIter_v1 io.io:ImageRecordUInt8Iter io.io:ImageRecordUInt8Iter_v1 io.io:LibSVMIter io.io:MNISTIter
    io.io:MXDataIter.__init__ kvstore.kvstore:KVStore.__init__ model:FeedForward.create operator:CustomOp.__init__
    optimizer.optimizer:SGLD.__init__ optimizer.optimizer:Test.__init__ optimizer.optimizer:ccSGD.__init__
    test_utils:assert_almost_equal_with_err test_utils:numeric_grad
"""


def test_all_other_parameters_are_mxnets() -> None:
    assert set(answer(PROGRAM).split()) == {*REFUSED.split(), *NAMED.split()}
