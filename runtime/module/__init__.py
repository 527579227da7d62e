"""``mx.mod``: graphs trained batch by batch. Modules on several devices, in buckets or in sequence are not here."""

from __future__ import annotations

from hybridlint.runtime.module.base_module import BaseModule
from hybridlint.runtime.module.module import Module
