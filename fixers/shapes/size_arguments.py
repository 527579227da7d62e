"""Helpers that get sizes of tensors: they read the sizes themselves, or get the tensor instead.

A graph's size is no number that a call could pass. Other fixes can change what the helper does with a tensor.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.evidence.cross_file_uses import user_elsewhere
from hybridlint.fixers.evidence.helper_calls import entered_by
from hybridlint.fixers.evidence.helper_uses import HelperUse, uses_of
from hybridlint.fixers.evidence.helpers import HelperFunctions, helpers_in, is_private
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, axis_of
from hybridlint.fixers.evidence.sizes.rule_axes import LEADING
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.arguments import by_name, with_or_without
from hybridlint.fixers.toolkit.names import free_name
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.signature_edits import head_of, rewrite_head, with_renamed, without_parameters
from hybridlint.fixers.toolkit.statements import insert_statements, join_fixes
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix, FixKind
from hybridlint.text.syntax import children, walk

#: The parameter that gets a tensor, of which the helper reads sizes alone.
_LIKE = "like"


@record(frozen=True, slots=True)
class _Read:
    """The replacement of a helper's parameter: the shape of a tensor, or with a `key` such as ``[1]`` a part.

    `first` is the axis that the part begins with. `given` names the tensor at each call, None if the helper has it.
    """

    tensor: str
    key: str
    first: int | None = None
    given: tuple[str, ...] | None = None
    sure: bool = True

    def written(self) -> cst.BaseExpression:
        """Return the expression that reads the size in the helper."""
        return expression(f"{{x}}.shape{self.key}", x=self.tensor)


def handed_sizes(frame: CodeContext) -> Fix | None:
    """Take sizes of tensors off the calls of helpers in a function: a step before the helpers can be repaired.

    A size that equals one of another argument at every call, ``split(self.query(x), x.shape[0])``, the helper reads
    from that argument. In the place of others it gets the tensor, ``resize(y, x.shape[2:])`` becomes ``resize(y, x)``.
    """
    if not isinstance(frame.function, ast.FunctionDef) or frame.rewritten:
        return None
    helpers, done = helpers_in(frame.source), list[Fix]()
    for helper in dict.fromkeys(_entered(frame)):
        entries = uses_of(frame, helper)
        reads = _reads(helper, entries) if entries else {}
        fix = _changed(frame, helpers, helper, entries, reads) if reads else None
        if fix is not None:
            done.append(fix)
    names = ", ".join(dict.fromkeys(fix.message for fix in done))
    fix = join_fixes(f"Let {names} read sizes of tensors itself", done, kind=FixKind.STEP)
    return None if fix is None else replace(fix, signature=True, applicability=safe_if(*map(_is_safe, done)))


def _is_safe(fix: Fix) -> bool:
    return fix.applicability is Applicability.SAFE


def _entered(frame: CodeContext) -> Iterator[ast.FunctionDef]:
    for call in walk(frame.function or ast.Pass()):
        found = entered_by(frame, call) if isinstance(call, ast.Call) else None
        if found is not None and found[0] is not frame.function:
            yield found[0]


def _reads(helper: ast.FunctionDef, entries: Sequence[HelperUse]) -> dict[str, _Read]:
    """Return the reads by which a helper can replace parameters that get sizes at every call."""
    spec = helper.args
    plain = spec.args[: len(spec.args) - len(spec.defaults)]
    found: dict[str, _Read] = {}
    for name in (each.arg for each in plain if all(each.arg in entry.given for entry in entries)):
        read = _own_size(helper, name, entries) or _size_of_another(helper, name, entries, found)
        if read is not None:
            found[name] = read
    return found


def _own_size(helper: ast.FunctionDef, name: str, entries: Sequence[HelperUse]) -> _Read | None:
    """Return the axis of another parameter whose size a parameter gets at each call; sure if no call is guessed.

    Heads that stand beside the batch in one axis divide it: ``x.shape[0] // self.heads``.
    """
    settings = _settings(replace(entries[0].frame, function=helper))
    for guess in (False, True):
        readers = [SizeInference(entry.frame, guess=guess) for entry in entries]
        sizes = [reader.size(entry.given[name]) for reader, entry in zip(readers, entries, strict=True)]
        read = (reader.reads_tensor(entry.given[name]) for reader, entry in zip(readers, entries, strict=True))
        if None in sizes or not all(read):
            continue
        for other in (each for each in entries[0].given if each != name):
            if not all(other in entry.given for entry in entries):
                continue
            axes = [reader.axes(entry.given[other]) for reader, entry in zip(readers, entries, strict=True)]
            for place in range(LEADING):
                found = [axis_of(each, place) for each in axes]
                if found == sizes:
                    return _Read(other, f"[{place}]", sure=not guess)
                for text, setting in settings.items():
                    if found == [None if size is None else size * setting for size in sizes]:
                        return _Read(other, f"[{place}] // {text}", sure=not guess)
    return None


def _settings(frame: CodeContext) -> dict[str, AxisSize]:
    """Return the settings of the block that a helper reads, ``self.heads``, with their sizes."""
    nodes = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Attribute))
    named = {ast.unparse(n): n for n in nodes if isinstance(n.value, ast.Name) and n.value.id == "self"}
    sizes = {text: SizeInference(frame).size(node) for text, node in named.items()}
    return {text: size for text, size in sizes.items() if size is not None}


def _size_of_another(
    helper: ast.FunctionDef, name: str, entries: Sequence[HelperUse], others: Mapping[str, _Read]
) -> _Read | None:
    """Return the read of a tensor that each call can pass in the place of its sizes, ``x`` for ``x.shape[2:]``."""
    tensors: list[str] = []
    keys: list[tuple[str, int | None] | None] = []
    for entry in entries:
        match entry.given[name]:
            case ast.Attribute(value=ast.Name(id=tensor), attr="shape"):
                keys.append(("", 0))
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id=tensor), attr="shape"), slice=key):
                keys.append(_key(key))
            case _:
                return None
        tensors.append(tensor)
    if len({*keys}) > 1 or keys[0] is None:
        return None
    same = next((read.tensor for read in others.values() if read.given == tuple(tensors)), None)
    inside = replace(entries[0].frame, function=helper)
    wanted = f"{name}_{_LIKE}" if any(read.tensor == _LIKE for read in others.values()) else _LIKE
    return _Read(same or free_name(inside, wanted), *keys[0], tuple(tensors))


def _key(node: ast.expr) -> tuple[str, int | None] | None:
    """Return the text of a subscript of a shape, and the first axis of a slice; None if computed."""
    axis = literal(node)
    if axis is not None:
        return f"[{axis}]", None
    if not isinstance(node, ast.Slice) or node.step is not None:
        return None
    bounds = ["" if each is None else str(literal(each)) for each in (node.lower, node.upper)]
    if "None" in bounds:
        return None
    plain = bounds[1] == "" and not bounds[0].startswith("-")
    return f"[{bounds[0]}:{bounds[1]}]", int(bounds[0] or 0) if plain else None


def _changed(
    frame: CodeContext,
    helpers: HelperFunctions,
    helper: ast.FunctionDef,
    entries: Sequence[HelperUse],
    reads: Mapping[str, _Read],
) -> Fix | None:
    """Return the fix of a helper and of its calls; its message is the helper's name."""
    renamed: dict[str, str] = {}
    for name, read in reads.items():
        if read.given is not None and read.tensor not in renamed.values():
            renamed[name] = read.tensor
    gone = reads.keys() - renamed.keys()
    head = without_parameters(with_renamed(head_of(frame.source, helper), renamed), gone)
    safe = is_private(helper) and user_elsewhere(frame.source, helpers.names([helper])) is None
    how = safe_if(safe, *(read.sure for read in reads.values()))
    parts = [
        rewrite_head(frame.source, helper, head, how, message=""),
        *(_call(entry, reads, renamed, place, how) for place, entry in enumerate(entries)),
        *_body(frame, helper, reads, how),
    ]
    return join_fixes(f"`{helper.name}`", parts)


def _call(
    entry: HelperUse, reads: Mapping[str, _Read], renamed: Mapping[str, str], place: int, how: Applicability
) -> Fix | None:
    """Return the fix of one call: a tensor replaces its sizes, or the argument is removed."""
    changed: dict[ast.expr | ast.keyword, cst.Arg | None] = {}
    for name, read in reads.items():
        value = entry.given[name]
        part = next((one for one in entry.call.keywords if one.value is value), value)
        new: cst.Arg | None = None
        if name in renamed and read.given is not None:
            tensor = cst.Name(read.given[place])
            new = by_name(renamed[name], tensor) if isinstance(part, ast.keyword) else cst.Arg(tensor)
        changed[part] = new
    frame = entry.frame
    call = with_or_without(frame, entry.call, changed)
    return rewrite(frame, entry.call, call, how)


def _body(
    frame: CodeContext, helper: ast.FunctionDef, reads: Mapping[str, _Read], how: Applicability
) -> Iterator[Fix | None]:
    """Yield the fixes of a helper's code, which reads sizes at their uses, or first if names are rebound."""
    inside = replace(frame, function=helper)
    first = list[tuple[str, cst.BaseExpression]]()
    for name, read in reads.items():
        if inside.flow.rebindings_of(name) or inside.flow.rebindings_of(read.tensor):
            first.append((name, read.written()))
            continue
        around = {child: node for node in walk(helper) for child in children(node)}
        for use in inside.flow.reads_of(name):
            whole = around.get(use)
            axis = _axis(read, whole) if isinstance(whole, ast.Subscript) and whole.value is use else None
            if axis is not None and isinstance(whole, ast.Subscript):
                yield rewrite(inside, whole, expression("{x}.shape[{axis}]", x=read.tensor, axis=axis), how)
            else:
                yield rewrite(inside, use, read.written(), how)
    if first:
        names, sizes = ([f"{kind}{place}" for place in range(len(first))] for kind in ("name", "size"))
        template = " = ".join(", ".join(f"{{{each}}}" for each in side) for side in (names, sizes))
        parts = [part for pair in zip(names, sizes, strict=True) for part in pair]
        new = statements(template, **dict(zip(parts, [value for pair in first for value in pair], strict=True)))
        body = helper.body
        described = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and len(body) > 1
        yield insert_statements(frame, new, how, message="", before=body[1] if described else body[0])


def _axis(read: _Read, whole: ast.Subscript) -> int | None:
    """Return the axis that ``size[1]`` reads where `size` is ``x.shape[2:]``; None for anything else."""
    place = literal(whole.slice)
    if place is None or read.first is None:
        return None
    return place if place < 0 else read.first + place
