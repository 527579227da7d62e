"""The fixer of methods that change a setting of their block: they drop the graph, which holds the old value."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import SettingChangedOutside
from hybridlint.analysis.mxnet.blocks.retracing import DROP
from hybridlint.analysis.mxnet.classes import CALLED_BY_BLOCKS
from hybridlint.fixers.evidence.cross_file_uses import user_elsewhere
from hybridlint.fixers.evidence.eager.holders import holders_in
from hybridlint.fixers.toolkit.statements import insert_statements
from hybridlint.fixers.toolkit.templates import statements
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import holds, walk


def drop_graph(event: SettingChangedOutside) -> Fix | None:
    """Write ``self._clear_cached_op()`` behind ``self.rate = value`` in a method of the block that reads ``self.rate``.

    The next call traces anew. None if a class of the file or of another one holds such blocks, whose graph keeps the
    value all the same, and for methods that run at each call.
    """
    source = event.frame.source
    holders = holders_in(source)
    owner = holders.class_of(event.node, (call.node for call in event.frame.calls if call.source is source))
    if owner is None or not event.name.startswith("self.") or user_elsewhere(source, [owner.name]) is not None:
        return None
    reached = holders.reached(owner)
    methods = (n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name not in CALLED_BY_BLOCKS)
    method = next((n for n in methods if any(part is event.place for part in walk(n))), None)
    if method is None or not method.args.args or reached is None or len(reached) != 1 or reached[0].sequences:
        return None
    stores = [n for n in walk(method) if isinstance(n, ast.Assign | ast.AugAssign) and holds(n, event.place)]
    if len(stores) != 1:
        return None
    new = statements("{self}.{drop}()", self=method.args.args[0].arg, drop=DROP)
    message = f"Drop the graph where `{event.name}` changes; the next call traces anew"
    return insert_statements(event.frame, new, Applicability.UNSAFE, message=message, after=stores[0])
