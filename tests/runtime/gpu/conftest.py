"""Two GPUs that are not there, for the tests that ask for them."""

from collections.abc import Iterator

import pytest

from hybridlint.runtime.platforms.devices import using
from tests.runtime.gpu.fake import FakeDevices


@pytest.fixture
def two_gpus() -> Iterator[None]:
    with using(FakeDevices(2)):
        yield
