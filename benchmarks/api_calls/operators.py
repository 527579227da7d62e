"""Operators on arrays of a usual size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api_calls.table import CASES, case, integers, normal, on

if TYPE_CHECKING:
    from api_calls.table import Call

_LARGE = (64, 16384)
for _name in ("exp", "log", "tanh", "sigmoid", "relu", "sqrt", "square", "abs", "erf", "sin", "round", "sign", "gamma"):
    on(f"element/{_name}", lambda nd, x, name=_name: getattr(nd, name)(x), _LARGE)
for _name in ("broadcast_add", "broadcast_mul", "broadcast_maximum", "broadcast_power", "broadcast_greater"):
    on(f"element/{_name}", lambda nd, x, y, name=_name: getattr(nd, name)(x, y), _LARGE, (64, 1))
on("element/add", lambda nd, x, y: x + y, _LARGE, _LARGE)
on("element/divide", lambda nd, x, y: x / y, _LARGE, _LARGE)
on("element/power", lambda nd, x: nd.abs(x) ** 1.5, _LARGE)
on("element/modulo", lambda nd, x: x % 3, _LARGE)
on("element/where", lambda nd, x, y: nd.where(x > 0, x, y), _LARGE, _LARGE)
on("element/clip", lambda nd, x: nd.clip(x, -1, 1), _LARGE)
on("element/smooth_l1", lambda nd, x: nd.smooth_l1(x, scalar=1), _LARGE)
on("element/leaky_relu", lambda nd, x: nd.LeakyReLU(x, slope=0.1), _LARGE)
on("element/gelu", lambda nd, x: nd.LeakyReLU(x, act_type="gelu"), _LARGE)
on("element/softrelu", lambda nd, x: nd.Activation(x, act_type="softrelu"), _LARGE)
on("element/add_n", lambda nd, x, y: nd.add_n(x, y, x), _LARGE, _LARGE)
on("element/cast-half", lambda nd, x: nd.cast(x, "float16"), _LARGE)

on("reduce/sum", lambda nd, x: nd.sum(x), _LARGE)
on("reduce/sum-rows", lambda nd, x: nd.sum(x, axis=1), _LARGE)
on("reduce/sum-columns", lambda nd, x: nd.sum(x, axis=0), _LARGE)
on("reduce/mean-pictures", lambda nd, x: nd.mean(x, axis=(2, 3)), (8, 64, 32, 32))
on("reduce/max", lambda nd, x: nd.max(x, axis=1), _LARGE)
on("reduce/prod", lambda nd, x: nd.prod(x, axis=1), _LARGE)
on("reduce/norm", lambda nd, x: nd.norm(x, axis=1), _LARGE)
on("reduce/argmax", lambda nd, x: nd.argmax(x, axis=1), _LARGE)
on("reduce/argmin-columns", lambda nd, x: nd.argmin(x, axis=0), _LARGE)
on("reduce/cumsum", lambda nd, x: nd.cumsum(x, axis=1), _LARGE)
on("reduce/moments", lambda nd, x: nd.moments(x, axes=(0,)), _LARGE)
on("reduce/L2Normalization", lambda nd, x: nd.L2Normalization(x), _LARGE)

on("shape/transpose", lambda nd, x: nd.transpose(x), (1024, 1024))
on("shape/transpose-NHWC", lambda nd, x: nd.transpose(x, (0, 2, 3, 1)), (8, 64, 32, 32))
on("shape/swapaxes", lambda nd, x: nd.swapaxes(x, 1, 2), (16, 128, 256))
on("shape/concat", lambda nd, x, y: nd.concat(x, y, dim=1), (8, 64, 32, 32), (8, 64, 32, 32))
on("shape/stack", lambda nd, x, y: nd.stack(x, y, axis=1), _LARGE, _LARGE)
on("shape/split", lambda nd, x: nd.split(x, 4, axis=1), (8, 64, 32, 32))
on("shape/slice", lambda nd, x: nd.slice(x, begin=(0, 10), end=(64, 8000)), _LARGE)
on("shape/slice_axis", lambda nd, x: nd.slice_axis(x, axis=1, begin=10, end=8000), _LARGE)
on("shape/pad", lambda nd, x: nd.pad(x, mode="constant", pad_width=(0, 0, 0, 0, 1, 1, 1, 1)), (8, 64, 32, 32))
on("shape/pad-reflect", lambda nd, x: nd.pad(x, mode="reflect", pad_width=(0, 0, 0, 0, 1, 1, 1, 1)), (8, 64, 32, 32))
on("shape/tile", lambda nd, x: nd.tile(x, (4, 4)), (256, 256))
on("shape/repeat", lambda nd, x: nd.repeat(x, 4, axis=1), (256, 256))
on("shape/flip", lambda nd, x: nd.flip(x, axis=1), _LARGE)
on("shape/broadcast_to", lambda nd, x: nd.broadcast_to(x, (64, 16384)), (64, 1))
on("shape/space_to_depth", lambda nd, x: nd.space_to_depth(x, 2), (8, 16, 64, 64))
on("shape/diag", lambda nd, x: nd.diag(x), (512, 512))

on("order/sort", lambda nd, x: nd.sort(x, axis=1), (64, 4096))
on("order/argsort", lambda nd, x: nd.argsort(x, axis=1), (64, 4096))
on("order/sort-columns", lambda nd, x: nd.sort(x, axis=0), (4096, 16))
on("order/topk-5-of-1000", lambda nd, x: nd.topk(x, k=5), (128, 1000))
on("order/topk-both", lambda nd, x: nd.topk(x, k=5, ret_typ="both"), (128, 1000))
on("order/topk-100-of-10000", lambda nd, x: nd.topk(x, k=100, ret_typ="value"), (8, 10000))
on("order/topk-1-of-10", lambda nd, x: nd.topk(x, k=1), (128, 10))
on("order/topk-mask", lambda nd, x: nd.topk(x, k=5, ret_typ="mask"), (128, 1000))

on("matrix/dot", lambda nd, x, y: nd.dot(x, y), (256, 512), (512, 256))
on("matrix/dot-transposed", lambda nd, x, y: nd.dot(x, y, transpose_b=True), (256, 512), (256, 512))
on("matrix/batch_dot", lambda nd, x, y: nd.batch_dot(x, y), (32, 64, 64), (32, 64, 64))
on("matrix/gemm2", lambda nd, x, y: nd.linalg.gemm2(x, y), (256, 512), (512, 256))
on("matrix/syrk", lambda nd, x: nd.linalg.syrk(x), (256, 256))
on("matrix/potrf", lambda nd, x: nd.linalg.potrf(nd.linalg.syrk(x) + 1000 * nd.eye(100)), (100, 100))
on("matrix/inverse", lambda nd, x: nd.linalg.inverse(x), (8, 64, 64))
on("matrix/det", lambda nd, x: nd.linalg.det(x), (8, 64, 64))
on("matrix/gelqf", lambda nd, x: nd.linalg.gelqf(x), (64, 128))
on("matrix/syevd", lambda nd, x: nd.linalg.syevd(x + x.T), (64, 64))
on(
    "matrix/FullyConnected",
    lambda nd, x, w, b: nd.FullyConnected(x, w, b, num_hidden=256),
    (64, 512),
    (256, 512),
    (256,),
)

on("net/softmax", lambda nd, x: nd.softmax(x), (128, 1000))
on("net/log_softmax", lambda nd, x: nd.log_softmax(x), (128, 1000))
on("net/softmax-columns", lambda nd, x: nd.softmax(x, axis=1), (8, 21, 64, 64))
on("net/LRN", lambda nd, x: nd.LRN(x, nsize=5), (8, 64, 32, 32))
on("net/UpSampling", lambda nd, x: nd.UpSampling(x, scale=2, sample_type="nearest"), (8, 32, 32, 32))
on("net/Dropout", lambda nd, x: nd.Dropout(x, p=0.5, mode="always"), (64, 4096))
on("net/im2col", lambda nd, x: nd.im2col(x, kernel=(3, 3), pad=(1, 1)), (4, 16, 32, 32))
on("net/BilinearResize2D", lambda nd, x: nd.contrib.BilinearResize2D(x, height=64, width=64), (8, 32, 32, 32))
on("net/AdaptiveAvgPooling2D", lambda nd, x: nd.contrib.AdaptiveAvgPooling2D(x, output_size=(7, 7)), (8, 64, 32, 32))
on("net/GridGenerator", lambda nd, x: nd.GridGenerator(x, transform_type="affine", target_shape=(32, 32)), (8, 6))
on("net/BilinearSampler", lambda nd, x, y: nd.BilinearSampler(x, nd.tanh(y)), (8, 16, 32, 32), (8, 2, 32, 32))
on(
    "net/Correlation",
    lambda nd, x, y: nd.Correlation(x, y, max_displacement=4, pad_size=4),
    (1, 16, 32, 32),
    (1, 16, 32, 32),
)


@case("net/softmax_cross_entropy")
def _softmax_cross_entropy(mx: Any) -> Call:
    loss, x, labels = mx.gluon.loss.SoftmaxCrossEntropyLoss(), normal(mx, 128, 1000), integers(mx, 1000, 128)
    return lambda: loss(x, labels)


@case("net/CTCLoss")
def _ctc(mx: Any) -> Call:
    x, labels = normal(mx, 50, 16, 40), integers(mx, 39, 16, 12) + 1
    return lambda: mx.nd.CTCLoss(x, labels)


@case("net/CTCLoss-train")
def _ctc_train(mx: Any) -> Call:
    loss, x, labels = mx.gluon.loss.CTCLoss(layout="TNC"), normal(mx, 50, 16, 40), integers(mx, 39, 16, 12)
    x.attach_grad()

    def call() -> None:
        with mx.autograd.record():
            loss(x, labels).backward()

    return call


for _name, _settings in {
    "uniform": {}, "normal": {}, "gamma": {"alpha": 2.0, "beta": 1.0}, "exponential": {}, "poisson": {"lam": 4.0},
    "negative_binomial": {"k": 3, "p": 0.4}, "randint": {"low": 0, "high": 100},
}.items():  # fmt: skip
    CASES[f"random/{_name}"] = lambda mx, name=_name, settings=_settings: (
        lambda: getattr(mx.nd.random, name)(shape=(512, 512), **settings)
    )
on("random/shuffle", lambda nd, x: nd.random.shuffle(x), (4096, 16))
on("random/multinomial", lambda nd, x: nd.random.multinomial(nd.softmax(x), shape=10), (64, 1000))
on("random/sample_normal", lambda nd, x: nd.sample_normal(x, nd.abs(x), shape=100), (1000,))
