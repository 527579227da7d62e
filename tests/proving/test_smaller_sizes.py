"""Arguments of a real call are made smaller by one divisor, so that their sizes still fit each other."""

from collections.abc import Mapping

import pytest

from hybridlint.proving.child.build.values.smaller_sizes import small_first


@pytest.mark.parametrize(
    ("called", "smaller"),
    [
        ({"channels": "2048"}, [{"channels": "16"}, {"channels": "64"}]),
        ({"inplanes": "728", "planes": "1024"}, [{"inplanes": "91", "planes": "128"}]),
        ({"layers": "[3, 4, 6]", "channels": "[64, 128, 256]"}, [{"layers": "[3, 4, 6]", "channels": "[16, 32, 64]"}]),
        (
            {"units": "128", "activation": "'relu'"},
            [{"units": "16", "activation": "'relu'"}, {"units": "64", "activation": "'relu'"}],
        ),
        ({"kernel": "3"}, []),
        ({"units": "1001"}, []),
        ({"units": "n * 64"}, []),
        ({}, []),
    ],
)
def test_smaller_arguments_come_before_those_of_the_call(
    called: Mapping[str, str], smaller: list[Mapping[str, str]]
) -> None:
    assert list(small_first(called)) == [*smaller, called]
