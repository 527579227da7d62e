"""Arrays on GPUs: where they are, how they get there, and what MXNet says where they cannot be."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.platforms import cupy_platform
from hybridlint.runtime.platforms.cupy_platform import CupyDevices
from hybridlint.runtime.platforms.devices import Devices, using
from tests.runtime.gpu.arrays import ndarray
from tests.runtime.gpu.fake import FakeDevices

with_gpus = pytest.mark.usefixtures("two_gpus")


@with_gpus
def test_arrays_are_made_where_the_context_says() -> None:
    assert mx.context.num_gpus() == 2
    with mx.gpu(1):
        made = [
            mx.nd.array([1, 2]),
            mx.nd.zeros(2),
            mx.nd.arange(3),
            mx.nd.random.uniform(shape=(2,)),
            mx.np.ones(2),
            mx.np.array([1, 2]),
            mx.np.random.normal(size=(2,)),
        ]
    made += [mx.nd.ones(2, ctx=mx.gpu(1)), mx.nd.random.normal(shape=(2,), ctx=mx.gpu(1)), mx.nd.eye(2, ctx=mx.gpu(1))]
    for array in made:
        assert array.context == mx.gpu(1)
        assert isinstance(array._data, ndarray)
        assert array._data.device_id == 1
        assert str(array.context) in repr(array)
    assert mx.nd.ones(2).context == mx.cpu()


@with_gpus
def test_copies_move_and_results_stay() -> None:
    x = mx.nd.array([[1, 2], [3, 4]])
    y = x.as_in_context(mx.gpu(0))
    z = y.copyto(mx.gpu(1))
    assert [a.context for a in (x, y, z, y.as_in_context(mx.gpu(0)), z.as_in_context(mx.cpu()))] == [
        *(mx.cpu(), mx.gpu(0), mx.gpu(1), mx.gpu(0), mx.cpu())
    ]
    assert y.as_in_context(mx.gpu(0)) is y
    assert (z * 2 + z).context == mx.gpu(1)
    assert z[0].context == z[:, 1].context == z.reshape(-1).context == z.detach().context == mx.gpu(1)
    np.testing.assert_array_equal((z * 2)[1].asnumpy(), [6, 8])
    assert float(z.sum().asscalar()) == 10
    target = mx.nd.zeros((2, 2))
    assert z.copyto(target) is target
    target[:] = y * 2
    assert target.context == mx.cpu()
    np.testing.assert_array_equal(target.asnumpy(), [[2, 4], [6, 8]])


@with_gpus
def test_elements_are_read_and_written_on_the_gpu() -> None:
    x = mx.nd.zeros((3, 2), ctx=mx.gpu(1))
    x[1] = 5
    x[2, :] = mx.nd.array([1, 2])
    x[mx.nd.array([0], ctx=mx.gpu(1))] = 7
    x[0:1, 1] = np.array([9])
    np.testing.assert_array_equal(x.asnumpy(), [[7, 9], [5, 5], [1, 2]])
    np.testing.assert_array_equal(x[mx.nd.array([2, 0])].asnumpy(), [[1, 2], [7, 9]])
    np.testing.assert_array_equal(x[np.array([2, 0])].asnumpy(), [[1, 2], [7, 9]])


@with_gpus
@pytest.mark.parametrize("home", [mx.gpu(0), mx.cpu()], ids=str)
def test_gradients_come_back_to_where_the_array_is(home: mx.Context) -> None:
    x = mx.nd.array([1, 2, 3], ctx=home)
    x.attach_grad()
    with mx.autograd.record():
        y = (x * x).as_in_context(mx.gpu(1))
        z = (y * y + x[1:2].as_in_context(mx.gpu(1))).sum()
    z.backward()
    assert x.grad.context == home
    np.testing.assert_array_equal(x.grad.asnumpy(), [4, 35, 108])


@with_gpus
@pytest.mark.parametrize("other", [mx.cpu(), mx.gpu(0)], ids=str)
def test_arrays_of_several_contexts_are_refused_as_by_mxnet(other: mx.Context) -> None:
    x, y = mx.nd.ones(2, ctx=mx.gpu(1)), mx.nd.ones(2, ctx=other)
    said = (
        f"Operator broadcast_add require all inputs live on the same context. But the first argument is on gpu\\(1\\) "
        f"while the 2-th argument is on {other.device_type}\\(0\\)"
    )
    with pytest.raises(mx.MXNetError, match=said):
        x + y


@with_gpus
def test_seeds_make_draws_repeat_on_each_gpu() -> None:
    def draws() -> list[list[float]]:
        return [mx.nd.random.normal(shape=(3,), ctx=ctx).asnumpy().tolist() for ctx in (mx.gpu(0), mx.gpu(1), mx.cpu())]

    mx.random.seed(3)
    first = draws()
    assert draws() != first
    mx.random.seed(3)
    assert draws() == first
    mx.random.seed(4, ctx=mx.gpu(1))
    mx.random.seed(3, ctx=mx.gpu(0))
    assert draws()[0] == first[0]


@with_gpus
def test_files_and_pickles_hold_the_values(tmp_path: Path) -> None:
    x = mx.nd.array([1, 2], ctx=mx.gpu(1))
    mx.nd.save(str(tmp_path / "x"), {"x": x})
    (found,) = mx.nd.load(str(tmp_path / "x")).values()
    assert found.context == mx.cpu()
    np.testing.assert_array_equal(found.asnumpy(), [1, 2])


def test_waiting_waits_for_the_gpu() -> None:
    gpus = FakeDevices(2)
    with using(gpus):
        first, second = gpus.platforms
        mx.nd.ones(1, ctx=mx.gpu(1)).wait_to_read()
        assert (first.waited, second.waited) == (0, 1)
        mx.nd.waitall()
        assert (first.waited, second.waited) == (1, 2)


@with_gpus
def test_memory_and_what_is_no_gpu() -> None:
    free, total = mx.context.gpu_memory_info(1)
    assert 0 < free < total
    mx.gpu(0).empty_cache()
    with pytest.raises(mx.MXNetError, match=r"gpu\(2\) cannot be used: the GPUs are gpu\(0\) to gpu\(1\)"):
        mx.nd.ones(1, ctx=mx.gpu(2))


@pytest.mark.parametrize(
    ("spec", "driver", "said"),
    [
        (None, 0, r"CuPy is not installed: pip install 'hybridlint\[cuda12\]'"),
        (ImportError("libcudart.so.12: no such file"), 0, r"CuPy cannot be imported \(libcudart.so.12: no such file\)"),
        ("there", RuntimeError("cudaErrorInsufficientDriver"), r"no driver that suits its CUDA \(cudaErrorInsuff"),
        ("there", 0, "CuPy finds no GPU"),
    ],
    ids=["no CuPy", "damaged CuPy", "no driver", "no GPU"],
)
def test_what_is_missing_is_said_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, spec: object, driver: int | Exception, said: str
) -> None:
    def ask() -> int:
        if isinstance(driver, Exception):
            raise driver
        return driver

    def imported(name: str) -> object:
        if isinstance(spec, ImportError):
            raise spec
        return SimpleNamespace(
            cuda=SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=ask, CUDARuntimeError=RuntimeError))
        )

    monkeypatch.setattr(cupy_platform, "find_spec", lambda name: spec)
    monkeypatch.setattr(cupy_platform, "import_module", imported)
    lacking: Devices = CupyDevices()
    with using(lacking):
        assert mx.context.num_gpus() == 0
        for attempt in (
            lambda: mx.nd.ones(1, ctx=mx.gpu(0)),
            lambda: mx.nd.array([1], ctx=mx.gpu(0)),
            lambda: mx.nd.ones(1).as_in_context(mx.gpu(0)),
            lambda: mx.nd.ones(1).copyto(mx.gpu(0)),
            lambda: mx.context.gpu_memory_info(0),
            lambda: mx.gluon.nn.Dense(1, in_units=1).initialize(ctx=mx.gpu(0)),
        ):
            with pytest.raises(mx.MXNetError, match=rf"^gpu\(0\) cannot be used: .*{said}"):
                attempt()
        assert mx.nd.ones(1).context == mx.cpu(), "the process goes on"
