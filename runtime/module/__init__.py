"""``mx.mod``: graphs trained batch by batch."""

from __future__ import annotations

from hybridlint.runtime.module.base_module import BaseModule as BaseModule
from hybridlint.runtime.module.bucketing_module import BucketingModule as BucketingModule
from hybridlint.runtime.module.module import Module as Module
from hybridlint.runtime.module.python_module import PythonLossModule as PythonLossModule
from hybridlint.runtime.module.python_module import PythonModule as PythonModule
from hybridlint.runtime.module.sequential_module import SequentialModule as SequentialModule
