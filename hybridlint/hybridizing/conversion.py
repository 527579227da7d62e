"""The conversion of one file's classes: all steps in order, and the imports that the new code needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from hybridlint.hybridizing.steps.aliases import AliasStep
from hybridlint.hybridizing.steps.bases import Bases
from hybridlint.hybridizing.steps.calls import Calls
from hybridlint.hybridizing.steps.constants import Constants
from hybridlint.hybridizing.steps.containers import Containers
from hybridlint.hybridizing.steps.heads import Heads
from hybridlint.hybridizing.steps.namespaces import Namespaces
from hybridlint.hybridizing.steps.parameters import ParameterStep
from hybridlint.hybridizing.steps.renamed_variables import RenamedVariables
from hybridlint.hybridizing.steps.spelling import NEEDED, lacks_array_functions
from hybridlint.text.cst import parse_module
from hybridlint.text.edits import Applicability, Fix, ImportEdit, apply_edits
from hybridlint.text.imports import with_imports
from hybridlint.text.source import SourceError, SourceFile

if TYPE_CHECKING:
    from hybridlint.hybridizing.plan import ConversionPlan


#: The order matters: variables are renamed before arguments of the same name are added, and method names change last,
#: because the plan refers to the old ones.
_STEPS = (RenamedVariables, ParameterStep, Constants, Namespaces, Calls, AliasStep, Heads)


def convert_classes(plan: ConversionPlan) -> SourceFile:
    """Return the file with the plan's classes converted. Raises SourceError if libcst cannot parse it."""
    source = plan.module.source
    text = source.text.removeprefix("\ufeff")
    try:
        tree = parse_module(text)
        bases, containers = Bases(plan), Containers(plan)
        tree = tree.visit(bases).visit(containers)
        for step in _STEPS:
            tree = tree.visit(step(plan))
    except cst.ParserSyntaxError as error:
        raise SourceError(f"libcst cannot read it: {error.message}", error.raw_line, error.raw_column + 1) from error
    except RecursionError as error:
        raise SourceError("the code is nested too deeply") from error
    changed = SourceFile(source.path, source.text[: len(source.text) - len(text)] + tree.code, source.encoding)
    return _with_imports(changed, bases.imports | containers.imports | _spelled(plan))


def _spelled(plan: ConversionPlan) -> set[ImportEdit]:
    used = plan.functions or any(helpers for helpers in plan.helpers.values())
    return {NEEDED} if used and lacks_array_functions(plan.module) else set()


def _with_imports(source: SourceFile, needed: set[ImportEdit]) -> SourceFile:
    if not needed:
        return source
    fix = Fix("imports", (), Applicability.SAFE, imports=tuple(sorted(needed)))
    return SourceFile(source.path, apply_edits(source.text, with_imports(source, [fix])), source.encoding)
