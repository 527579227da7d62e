"""hybridlint: finds, fixes and proves what breaks in Gluon code once it is hybridized."""

__version__ = "0.1.0"
