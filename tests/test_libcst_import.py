"""Importing libcst in our way makes the same library as importing it in its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

OURS = "from hybridlint.text.libcst_import import import_visitors; import_visitors()"
USUAL = "import libcst"

#: What a program may do with libcst; it prints what comes of that.
PROGRAM = '''
import copy, dataclasses, pickle
import libcst as cst
import libcst.matchers as m
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor, RemoveImportsVisitor
from libcst.metadata import MetadataWrapper, PositionProvider

TEXT = """import os
@decorated(1, *rest, key=[x for x in y if x])
class A(B, metaclass=C):
    async def f(self, a, /, b: int = 1, *args, c, **kw) -> None:
        with open("x") as file, other:
            while a <= b or not c: a += lambda x: x ** 2
        try: return f"{a!r:>{b}}"
        except* E as e: raise e from None
        finally: del a[1:2, ...]
"""
module = cst.parse_module(TEXT)
print(module.code == TEXT, module.deep_equals(cst.parse_module(TEXT)), module.deep_clone().code == TEXT)
print(repr(cst.parse_expression("f(x, *y)")))
name = cst.Name("x")
print(name.with_changes(value="y").value, name == cst.Name("x"), name == name, len({name, cst.Name("x")}))
print(copy.copy(name).value, copy.deepcopy(name).value, pickle.loads(pickle.dumps(name)).value)
print(dataclasses.replace(name, value="z").value, [(f.name, f.init) for f in dataclasses.fields(cst.Call)])
print(cst.Name.__match_args__, hasattr(name, "__dict__"), cst.Name.__init__.__qualname__)
for wrong in (lambda: cst.Name(""), lambda: cst.Name(), lambda: cst.Name("x", other=1), lambda: cst.Name(1)):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__)

class Upper(cst.CSTTransformer):
    def leave_Name(self, old, new):
        return new.with_changes(value=new.value.upper())

print(module.visit(Upper()).code)
positions = MetadataWrapper(module).resolve(PositionProvider)
print(sorted(str(place) for place in positions.values()))
print(len(m.findall(module, m.Name(value="a"))), m.matches(name, m.Name(value="x") | m.Attribute()))
context = CodemodContext()
AddImportsVisitor.add_needed_import(context, "mxnet", "autograd")
RemoveImportsVisitor.remove_unused_import(context, "os")
print(AddImportsVisitor(context).transform_module(RemoveImportsVisitor(context).transform_module(module)).code)

@dataclasses.dataclass(frozen=True)
class Own:
    value: int

try:
    Own(1).value = 2
except dataclasses.FrozenInstanceError:
    print("frozen")
'''


@pytest.fixture(scope="module")
def usual() -> str:
    return _told(USUAL)


def test_programs_get_the_same(usual: str) -> None:
    assert _told(OURS) == usual
    assert "frozen" in usual


def test_what_was_imported_before_stays(usual: str) -> None:
    assert _told(f"{USUAL}; {OURS}") == usual


def _told(first: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"{first}\n{PROGRAM}"], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
