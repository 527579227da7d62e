"""A network of a project: where it is found, and how it is built.

Both interpreters run this file and the tables beside it, so they stay within Python 3.8.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, List, Tuple  # noqa: UP035 - aliases are evaluated, and Python 3.8 has no others

#: What builds a network from the module that it is found in, and gives it with its inputs.
Build = Callable[[Any], Tuple[Any, List[Any]]]  # noqa: UP006

#: MXNet's environment where gradients go through max pooling: oneDNN gives others where it is not for training.
WITHOUT_ONEDNN = {"MXNET_MKLDNN_ENABLED": "0", "MXNET_STORAGE_FALLBACK_LOG_VERBOSE": "0"}


@dataclasses.dataclass(frozen=True)
class Network:
    """A network that `build` makes of what `module` holds.

    MXNet is to have an environment for it, and its drawn weights are to be multiplied by a gain.
    """

    module: str
    build: Build
    environment: Dict[str, str] = dataclasses.field(default_factory=dict)  # noqa: UP006
    gain: float = 1.0


#: Name of a network -> how it comes to be.
Networks = Dict[str, Network]  # noqa: UP006
