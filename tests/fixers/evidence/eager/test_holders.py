"""Which classes of a file hold blocks of which others."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.fixers.evidence.eager.holders import Holders, own_method, switched_off, way_to
from hybridlint.text.source import SourceFile

FORWARD = "    def hybrid_forward(self, F, x):\n        return x\n"
INNER = f"class Inner(HybridBlock):\n{FORWARD}\n"


def held(text: str, owner: str = "Inner") -> dict[str, set[str]] | None:
    source = SourceFile(Path("net.py"), text)
    (node,) = (n for n in ast.walk(source.tree) if isinstance(n, ast.ClassDef) and n.name == owner)
    reached = Holders(source).reached(node)
    return None if reached is None else {one.node.name: set(one.containers) for one in reached}


def net(init: str, name: str = "Net") -> str:
    return f"class {name}(HybridBlock):\n    def __init__(self):\n        {init}\n\n{FORWARD}\n"


def test_attributes_are_held() -> None:
    assert held(INNER + net("self.inner = Inner() if self.on else None")) == {"Inner": set(), "Net": set()}


def test_holders_of_holders_are_reached() -> None:
    text = INNER + net("self.inner = Inner()") + net("self.net = Net()", "Outer")
    assert held(text) == {"Inner": set(), "Net": set(), "Outer": set()}


def test_holders_of_derived_classes_are_reached() -> None:
    text = f"{INNER}class Other(Inner):\n    pass\n\n{net('self.inner = Other()')}"
    assert held(text) == {"Inner": set(), "Net": set()}


def test_containers_are_told() -> None:
    assert held(INNER + net("self.stages.add(Inner())")) == {"Inner": set(), "Net": {"stages"}}


def test_blocks_that_a_function_gives_to_another_block_may_be_anywhere() -> None:
    assert held(f"{INNER}def build(net):\n    net.add(Inner())\n") is None


def test_functions_that_return_blocks_hold_none() -> None:
    text = f"{INNER}def build(name):\n    return {{'inner': Inner}}[name]()\n\n\nnet = Inner()\n"
    assert held(text) == {"Inner": set()}


def test_a_function_may_return_one_of_two_blocks() -> None:
    assert held(f"{INNER}def build(net, on):\n    return Inner(net) if on else net\n") == {"Inner": set()}
    assert held(f"{INNER}def build(net, on):\n    net.add(Inner() if on else net)\n") is None


def test_parts_that_a_base_class_makes_are_parts() -> None:
    base = net("self.fc = nn.Dense(3)", "Base")
    source = SourceFile(Path("net.py"), f"{base}class Inner(Base):\n    pass\n")
    node = next(n for n in source.tree.body if isinstance(n, ast.ClassDef) and n.name == "Inner")
    reached = Holders(source).reached(node)
    assert reached is not None
    assert Holders(source).have_other_parts(reached)


def test_an_own_hybridize_is_judged() -> None:
    method = "    def hybridize(self, active=True, **kwargs):\n        {}\n"
    for body, compiled in (("super().hybridize(active, **kwargs)", True), ("self.inner.hybridize(active)", False)):
        source = SourceFile(Path("net.py"), INNER + net("self.inner = Inner()") + method.format(body))
        inner, outer = (n for n in source.tree.body if isinstance(n, ast.ClassDef))
        reached = Holders(source).reached(inner)
        assert reached is not None
        assert [(one.node, one.compiled, one.done) for one in reached] == [
            (inner, False, False),
            (outer, compiled, True),
        ]


def test_the_class_around_a_call_counts_for_a_helper() -> None:
    text = f"def helper(x):\n    return x\n\n\n{INNER}".replace("return x\n\n", "return helper(x)\n\n")
    source = SourceFile(Path("net.py"), text.replace("        return x\n", "        return helper(x)\n"))
    (helper,) = (n for n in source.tree.body if isinstance(n, ast.FunctionDef))
    (call,) = (n for n in ast.walk(source.tree.body[-1]) if isinstance(n, ast.Call))
    owner = Holders(source).class_of(helper.body[0], [call])
    assert owner is not None
    assert owner.name == "Inner"


def test_other_parts() -> None:
    source = SourceFile(Path("net.py"), INNER + net("self.inner, self.fc = Inner(), nn.Dense(3)"))
    inner, outer = (n for n in source.tree.body if isinstance(n, ast.ClassDef))
    holders = Holders(source)
    assert not holders.has_other_parts(inner, ["Inner", "Net"])
    assert holders.has_other_parts(outer, ["Inner", "Net"])


def test_a_block_that_is_given_is_another_part() -> None:
    text = (
        "class Net(HybridBlock):\n    def __init__(self, body):\n        self.body = body\n\n"
        "    def hybrid_forward(self, F, x):\n        return self.body(x)\n"
    )
    source = SourceFile(Path("net.py"), text)
    (node,) = (n for n in source.tree.body if isinstance(n, ast.ClassDef))
    assert Holders(source).has_other_parts(node, ["Net"])


def test_what_is_switched_off() -> None:
    method = (
        "    def hybridize(self, active=True):\n        self.stages._active = False\n        self._active = False\n"
    )
    (node,) = SourceFile(Path("net.py"), f"class Net(HybridBlock):\n{method}").tree.body
    assert isinstance(node, ast.ClassDef)
    own = own_method(node)
    assert own is not None
    assert switched_off(own) == {"stages"}


def test_operators_named_like_layers_are_no_parts() -> None:
    text = net("self.name = 'relu'").replace("return x", "return F.Activation(x, act_type=self.name)")
    source = SourceFile(Path("net.py"), text)
    (node,) = (n for n in source.tree.body if isinstance(n, ast.ClassDef))
    assert not Holders(source).has_other_parts(node, ["Net"])


@pytest.mark.parametrize(
    "use",
    [
        "@Part\nclass Other:\n    pass\n",
        'x = f"""\n\n{Part}\n{1}"""\ny = 1\nz = 2\n',
        "a = 1; b = Part()\n",
        "def make(part=Part): return [p for p in (Part,) if p]\n",
        "with Part() as p, open(Part): pass\n",
    ],
)
def test_the_way_from_a_name_to_the_module(use: str) -> None:
    tree = ast.parse(f"class Part(HybridBlock):\n    pass\n\n\n{use}")
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    names = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == "Part"]
    assert names
    for name in names:
        way: list[ast.AST] = [name]
        while way[-1] is not tree:
            way.append(parents[way[-1]])
        assert (way_to(tree, name, by_rows=True) or way_to(tree, name, by_rows=False)) == way


def test_layers_with_parts_of_their_own_choice_are_parts() -> None:
    text = f"class Tower(nn.HybridSequential):\n    pass\n\n\n{net('self.tower = Tower()')}"
    source = SourceFile(Path("net.py"), text)
    (owner,) = (n for n in ast.walk(source.tree) if isinstance(n, ast.ClassDef) and n.name == "Net")
    assert Holders(source).has_other_parts(owner, ["Net"])
