"""Modules, iterators and metrics: training a graph batch by batch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.io import DataBatch, NDArrayIter
from hybridlint.runtime.module import BucketingModule, Module, PythonLossModule, SequentialModule
from tests.closeness import assert_same_numbers


def classifier() -> mx.sym.Symbol:
    hidden = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=3, name="fc")
    return mx.sym.SoftmaxOutput(hidden, name="softmax")


def batches() -> NDArrayIter:
    rows = np.random.default_rng(0).normal(size=(20, 3)).astype("float32")
    return NDArrayIter(rows, rows.argmax(axis=1), batch_size=8)


def test_a_module_learns() -> None:
    mx.random.seed(1)
    module = Module(classifier())
    train = batches()
    module.fit(train, num_epoch=60, optimizer="adam", optimizer_params={"learning_rate": 0.1})
    assert dict(module.score(train, "acc"))["accuracy"] > 0.9
    assert module.predict(train).shape == (20, 3)


def test_a_checkpoint_goes_on_where_it_stopped(tmp_path: Path) -> None:
    module = Module(classifier())
    train = batches()
    module.fit(train, num_epoch=1, optimizer_params={"learning_rate": 0.1, "momentum": 0.9})
    module.save_checkpoint(str(tmp_path / "net"), 1, save_optimizer_states=True)
    again = Module.load(str(tmp_path / "net"), 1, load_optimizer_states=True)
    train.reset()
    for each in (module, again):
        each.fit(train, num_epoch=2, begin_epoch=1, optimizer_params={"learning_rate": 0.1, "momentum": 0.9})
        train.reset()
    expected, found = (each.get_params()[0]["fc_weight"].asnumpy() for each in (module, again))
    assert np.allclose(expected, found, atol=1e-6)


def test_batches_of_another_size_are_bound_anew() -> None:
    module = Module(classifier())
    module.bind([("data", (4, 5))], [("softmax_label", (4,))])
    module.init_params()
    weight = module.get_params()[0]["fc_weight"].asnumpy()
    module.forward(DataBatch([mx.nd.ones((2, 5))], [mx.nd.zeros((2,))]))
    assert module.get_outputs()[0].shape == (2, 3)
    module.reshape([("data", (6, 5))], [("softmax_label", (6,))])
    assert np.array_equal(module.get_params()[0]["fc_weight"].asnumpy(), weight)


def test_fixed_parameters_stay() -> None:
    module = Module(classifier(), fixed_param_names=["fc_bias"])
    module.fit(batches(), num_epoch=2)
    assert not module.get_params()[0]["fc_bias"].asnumpy().any()


def test_several_contexts_share_a_batch() -> None:
    hidden = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=2, name="fc")
    module = Module(hidden, label_names=None, context=[mx.cpu(0), mx.cpu(1)])
    module.bind([("data", (5, 3))], inputs_need_grad=True)
    module.init_params(mx.init.One())
    module.init_optimizer(optimizer_params={"learning_rate": 1, "momentum": 0.9})
    module.forward(DataBatch([mx.nd.ones((5, 3))]), is_train=True)
    module.backward([mx.nd.ones((5, 2))])
    module.update()
    first, second = module.get_outputs(merge_multi_context=False)[0]
    assert (first.shape, second.shape) == ((2, 2), (3, 2))
    assert module.get_outputs()[0].shape == (5, 2)
    assert module.get_input_grads()[0].asnumpy().tolist() == [[2] * 3] * 5
    assert module.get_params()[0]["fc_bias"].asnumpy().tolist() == [-1, -1]


def test_states_stay_from_batch_to_batch() -> None:
    total = mx.sym.Variable("data") + mx.sym.Variable("state")
    module = Module(total, label_names=None, state_names=["state"])
    module.bind([("data", (2, 2))], for_training=False)
    module.init_params()
    module.set_states(value=1)
    module.forward(DataBatch([mx.nd.ones((2, 2))]))
    module.set_states(states=module.get_outputs(merge_multi_context=False))
    module.forward(DataBatch([mx.nd.ones((2, 2))]))
    assert module.get_outputs()[0].asnumpy().tolist() == [[3, 3], [3, 3]]


def test_names_that_the_graph_lacks() -> None:
    with pytest.raises(ValueError, match="Did you mean one of: data, softmax_label"):
        Module(classifier(), data_names=["image"])
    with pytest.raises(ValueError, match="don't match names"):
        Module(classifier()).bind([("image", (2, 3))], [("softmax_label", (2,))])
    with pytest.raises(TypeError, match="tuple of ints"):
        Module(classifier()).bind([("data", mx.nd.array([2, 3]))])


def buckets() -> BucketingModule:
    def graph(length: int) -> tuple[mx.sym.Symbol, tuple[str, ...], None]:
        weight = mx.sym.Variable("w", shape=(1,), init=mx.init.One())
        return mx.sym.make_loss(mx.sym.broadcast_mul(mx.sym.Variable("data"), weight)), ("data",), None

    return BucketingModule(graph, default_bucket_key=10)


@pytest.mark.parametrize(("request_", "after"), [("write", 2.0), ("add", 4.0)])
def test_buckets_share_parameters_and_gradients(request_: str, after: float) -> None:
    module = buckets()
    module.bind([("data", (2,))], grad_req=request_)
    module.init_params()
    for key in (10, 5):
        described = [mx.io.DataDesc("data", (2,), layout="N")]
        module.forward_backward(DataBatch([mx.nd.ones((2,))], bucket_key=key, provide_data=described))
    assert module._curr_module._exec_group.execs[0].grad_dict["w"].asscalar() == after


def test_modules_in_sequence_learn() -> None:
    hidden = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=4, name="below")
    chain = SequentialModule()
    chain.add(Module(hidden, label_names=None)).add(Module(classifier()), take_labels=True, auto_wiring=True)
    train = batches()
    chain.fit(train, num_epoch=40, optimizer="adam", optimizer_params={"learning_rate": 0.1})
    assert dict(chain.score(train, "acc"))["accuracy"] > 0.8
    assert set(chain.get_params()[0]) == {"below_weight", "below_bias", "fc_weight", "fc_bias"}


def test_a_loss_in_python_gives_its_gradient() -> None:
    hidden = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=1, no_bias=True, name="fc")
    loss = PythonLossModule(grad_func=lambda scores, labels: scores - labels.reshape((-1, 1)))
    chain = SequentialModule().add(Module(hidden, label_names=None)).add(loss, take_labels=True, auto_wiring=True)
    chain.bind([("data", (2, 2))], [("softmax_label", (2,))])
    chain.init_params(mx.init.Zero())
    chain.init_optimizer(optimizer_params={"learning_rate": 1, "rescale_grad": 1})
    chain.forward_backward(DataBatch([mx.nd.array([[1, 0], [0, 1]])], [mx.nd.array([3, 5])]))
    chain.update()
    assert chain.get_params()[0]["fc_weight"].asnumpy().tolist() == [[3, 5]]


def test_a_monitor_sees_outputs_and_parameters() -> None:
    module = Module(classifier())
    module.bind([("data", (2, 3))], [("softmax_label", (2,))])
    monitor = mx.mon.Monitor(1, stat_func=lambda x: x.sum(), pattern="fc.*", sort=True)
    module.install_monitor(monitor)
    module.init_params(mx.init.One())
    monitor.tic()
    module.forward(DataBatch([mx.nd.ones((2, 3))], [mx.nd.zeros((2,))]), is_train=False)
    found = [(name, float(value)) for _, name, value in monitor.toc()]
    assert found == [("fc_bias", 0.0), ("fc_output", 18.0), ("fc_weight", 9.0)]
    assert monitor.toc() == []


def test_feed_forward_fits_predicts_and_is_saved(tmp_path: Path) -> None:
    train = batches()
    net = mx.model.FeedForward(classifier(), num_epoch=2, learning_rate=0.1)
    net.fit(train)
    net.save(str(tmp_path / "net"))
    again = mx.model.FeedForward.load(str(tmp_path / "net"), 2)
    assert_same_numbers(again.predict(train), net.predict(train))
    assert net.predict(train).shape == (20, 3)


@pytest.mark.parametrize(
    ("handle", "first", "second"),
    [
        ("pad", [([0, 1, 2, 3], 0), ([4, 5, 6, 7], 0), ([8, 9, 0, 1], 2)], [([0, 1, 2, 3], 0)]),
        ("discard", [([0, 1, 2, 3], 0), ([4, 5, 6, 7], 0)], [([0, 1, 2, 3], 0)]),
        ("roll_over", [([0, 1, 2, 3], 0), ([4, 5, 6, 7], 0)], [([8, 9, 0, 1], 2), ([2, 3, 4, 5], 0)]),
    ],
)
def test_the_last_batch(handle: str, first: list[object], second: list[object]) -> None:
    batches = NDArrayIter(np.arange(10), batch_size=4, last_batch_handle=handle)
    for expected in (first, second):
        found = [(batch.data[0].asnumpy().tolist(), batch.pad) for batch in batches]
        assert found[: len(expected)] == expected
        batches.reset()


def test_arrays_are_provided_by_name_in_order() -> None:
    batches = NDArrayIter({"b": np.zeros((4, 2)), "a": np.zeros((4, 3))}, np.zeros(4), batch_size=2)
    assert [(d.name, d.shape) for d in batches.provide_data] == [("a", (2, 3)), ("b", (2, 2))]
    assert batches.provide_label == [("softmax_label", (2,))]
    longer = NDArrayIter(np.zeros(5), np.arange(8), batch_size=2)
    assert [rows.asnumpy().tolist() for batch in longer for rows in batch.label or ()] == [
        [0, 1],
        [2, 3],
        [4, 5, 6, 7, 0],
    ]
    with pytest.raises(MXNetError, match="labels are fewer"):
        list(NDArrayIter(np.zeros(4), np.zeros(3), batch_size=2))


PREDICTED = mx.nd.array([[0.1, 0.9], [0.2, 0.8], [0.9, 0.1]])
LABELS = mx.nd.array([0, 1, 1])


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        (mx.metric.Accuracy(), 1 / 3),
        (mx.metric.TopKAccuracy(2), 1.0),
        (mx.metric.F1(), 0.5),
        (mx.metric.F1(average="micro"), 0.5),
        (mx.metric.MCC(), -0.5),
        (mx.metric.CrossEntropy(), -np.log([0.1, 0.8, 0.1]).mean()),
        (mx.metric.Perplexity(ignore_label=0), np.exp(-np.log([0.8, 0.1]).mean())),
        (mx.metric.Loss(), 0.5),
        (mx.metric.np(lambda label, pred: float(label.sum() - pred.sum())), -1.0),
    ],
    ids=lambda given: getattr(given, "name", ""),
)
def test_metrics_of_classes(metric: mx.metric.EvalMetric, value: float) -> None:
    assert np.isnan(metric.get()[1])
    metric.update([LABELS], [PREDICTED])
    assert metric.get()[1] == pytest.approx(value, rel=1e-5)
    metric.reset_local()
    assert np.isnan(metric.get()[1])
    assert metric.get_global()[1] == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mae", 0.3),
        ("mse", 0.41 / 3),
        ("rmse", np.sqrt(0.41 / 3)),
        ("pearsonr", 0.9986254),
    ],
)
def test_metrics_of_numbers(name: str, value: float) -> None:
    metric = mx.metric.create(name)
    metric.update([mx.nd.array([0, 1, 2])], [mx.nd.array([0.5, 1, 1.6])])
    assert metric.get()[1] == pytest.approx(float(value), rel=1e-5)


def test_several_metrics_at_once() -> None:
    both = mx.metric.create(["acc", "ce"])
    both.update([LABELS], [PREDICTED])
    assert both.get()[0] == ["accuracy", "cross-entropy"]
    with pytest.raises(AssertionError, match="bogus"):
        mx.metric.create("bogus")
    with pytest.raises(ValueError, match="does not match"):
        both.update([LABELS], [])


def test_metrics_are_made_from_their_configuration() -> None:
    for metric in (mx.metric.Perplexity(-1), mx.metric.MSE(), mx.metric.create(["acc", "f1"])):
        assert mx.metric.create(json.dumps(metric.get_config())).get_config() == metric.get_config()
    with pytest.raises(NotImplementedError, match="serialized"):
        mx.metric.CustomMetric(lambda label, pred: 0.0).get_config()


def test_correlations_over_all_batches() -> None:
    micro = mx.metric.create("pearsonr", average="micro")
    values = np.array([[0.3, 0.7, 0.1], [0.9, 0.2, 0.5]]), np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    for pred, label in zip(*values, strict=True):
        micro.update([mx.nd.array(label)], [mx.nd.array(pred)])
    assert np.isclose(micro.get()[1], np.corrcoef(values[0].ravel(), values[1].ravel())[0, 1], atol=1e-6)
    classes, scores = [0, 1, 2, 2], [[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]]
    pcc = mx.metric.create("pcc")
    pcc.update([mx.nd.array(classes)], [mx.nd.array(scores)])
    assert np.isclose(pcc.get()[1], 0.7, atol=1e-6)


def test_perplexity_needs_a_label_for_each_row() -> None:
    with pytest.raises(AssertionError, match="shape mismatch"):
        mx.metric.Perplexity(None).update([mx.nd.array([0, 1])], [mx.nd.ones((3, 2))])


class Counted(mx.metric.EvalMetric):
    """A metric of a user's own: how many batches there were since the last reset."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("counted", **kwargs)

    def reset(self) -> None:
        self.num_inst, self.sum_metric = 1, 0.0

    def update(self, labels: object, preds: object) -> None:
        self.sum_metric += 1


def test_metrics_of_users_keep_no_average_of_their_own_since_the_last_full_reset() -> None:
    counted = Counted()
    counted.update(None, None)
    assert counted.get_global_name_value() == counted.get_name_value() == [("counted", 1)]
    told = Counted(has_global_stats=True)
    told.global_num_inst, told.global_sum_metric = 2, 6.0
    assert told.get_global() == ("counted", 3)
    assert mx.metric.Accuracy().get_global()[0] == "accuracy"


def test_training_tells_what_metrics_of_users_give(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    Module(classifier()).fit(batches(), eval_metric=Counted(), num_epoch=1)
    told = [record.getMessage() for record in caplog.records if "counted" in record.getMessage()]
    assert told
    assert not any("nan" in line for line in told)


def sparse_regression() -> mx.sym.Symbol:
    """Return a graph over four inputs whose weight is row_sparse, of ones at first."""
    weight = mx.sym.var("v", shape=(4, 2), init=mx.init.One(), stype="row_sparse")
    return mx.sym.LinearRegressionOutput(mx.sym.dot(mx.sym.var("data"), weight), mx.sym.var("label"))


def rows_read(batch: DataBatch) -> dict[str, Any]:
    return {"v": mx.nd.array(np.flatnonzero(batch.data[0].asnumpy().sum(0)))}


def one_hot_rows() -> NDArrayIter:
    return NDArrayIter(np.eye(4, dtype="float32").repeat(2, 0), np.zeros((8, 2), "float32"), 2, label_name="label")


def bound_regression(store: Any) -> Module:
    module = Module(sparse_regression(), ["data"], ["label"])
    module.bind([("data", (2, 4))], [("label", (2, 2))])
    module.init_params()
    module.init_optimizer(store, optimizer_params={"learning_rate": 0.5})
    return module


def test_parameters_have_the_storage_that_variables_declare() -> None:
    module = bound_regression("local")
    assert module.get_params()[0]["v"].stype == "row_sparse"
    batch = next(one_hot_rows())
    module.forward_backward(batch)
    module.update()
    assert_same_numbers(module.get_params()[0]["v"].asnumpy(), [[0.75, 0.75], [1, 1], [1, 1], [1, 1]])


def test_a_store_gives_the_rows_of_a_batch_and_all_rows_of_parameters() -> None:
    module = bound_regression(mx.kv.create("local"))
    for batch in one_hot_rows():
        module.prepare(batch, rows_read)
        module.forward_backward(batch)
        module.update()
    bound = module._running().param_arrays[0][0]
    assert bound.indices.asnumpy().tolist() == [3]
    assert_same_numbers(module.get_params()[0]["v"].asnumpy(), np.full((4, 2), 0.75))


def test_rows_are_named_in_a_dictionary_by_parameter() -> None:
    batch = next(one_hot_rows())
    module = bound_regression(mx.kv.create("local"))
    with pytest.raises(AssertionError, match="Expected dict"):
        module.prepare(batch, lambda _: [1])
    with pytest.raises(ValueError, match="not in list"):
        module.prepare(batch, lambda _: {"w": mx.nd.array([1])})
    with pytest.warns(UserWarning, match="not updated in the KVStore"):
        bound_regression(None).prepare(batch, rows_read)


def test_batches_behind_the_first_are_prepared_and_epochs_begin_with_all_rows() -> None:
    prepared = []

    def rows(batch: DataBatch) -> dict[str, Any]:
        prepared.append(batch)
        return rows_read(batch)

    module = Module(sparse_regression(), ["data"], ["label"])
    given: Any = {"eval_metric": "mse", "optimizer_params": {"learning_rate": 0.5}, "sparse_row_id_fn": rows}
    module.fit(one_hot_rows(), kvstore=mx.kv.create("local"), num_epoch=2, **given)
    assert len(prepared) == 6
    assert_same_numbers(module.get_params()[0]["v"].asnumpy(), np.full((4, 2), 0.5625))
    module.predict(one_hot_rows(), sparse_row_id_fn=rows)
    assert len(prepared) == 10


def test_training_needs_a_batch() -> None:
    train = batches()
    list(train)
    with pytest.raises(StopIteration):
        Module(classifier()).fit(train, num_epoch=1)
