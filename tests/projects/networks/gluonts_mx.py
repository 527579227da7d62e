"""Networks of gluonts since 0.10, which keeps those of MXNet in a package of their own."""

from __future__ import annotations

from .gluonts import networks

NETWORKS = networks("gluonts.mx.model")
