"""Networks of gluonts before 0.10, which had no others than those of MXNet."""

from __future__ import annotations

from .gluonts import networks

NETWORKS = networks("gluonts.model")
