"""All functions of ``np``, ``np.linalg``, ``np.random``, ``npx`` and its modules, by namespace."""

from __future__ import annotations

from hybridlint.runtime.numpy_functions import (
    creation,
    elementwise,
    extension,
    linalg,
    products,
    reduction,
    sets,
    shape,
)
from hybridlint.runtime.numpy_functions import random as draws
from hybridlint.runtime.numpy_functions.world import collect

FUNCTIONS = collect(elementwise, reduction, shape, creation, products, sets)
LINALG = collect(linalg)
RANDOM = collect(draws)
EXTENSION = collect(extension)
EXTENSION_IMAGES = extension.IMAGES
EXTENSION_RANDOM = draws.EXTENSION
