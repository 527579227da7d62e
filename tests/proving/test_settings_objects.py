"""Objects of settings as constructor arguments: what is read of them says what they hold."""

from __future__ import annotations

import ast
from collections.abc import Callable
from textwrap import dedent

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.brief.dotted_names import dotted_name
from hybridlint.proving.brief.suggestions import argument_facts
from hybridlint.proving.child.build.values.choices import choices
from hybridlint.proving.child.build.values.fields import Fields

Prove = Callable[..., dict[str, ProofOutcome]]


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("config", "config"),
        ("self.config", "config"),
        ("self._config.hidden", "config.hidden"),
        ('config["hidden"]', "config.hidden"),
        ('self.config.sizes["hidden"]', "config.sizes.hidden"),
        ("config[0]", ""),
        ("self", ""),
        ("f(config).x", ""),
    ],
)
def test_names_with_what_is_read_of_them(expression: str, name: str) -> None:
    assert dotted_name(ast.parse(expression, mode="eval").body) == name


def _fields(source: str) -> Fields:
    fields = Fields()
    facts = argument_facts(ast.parse(dedent(source)))
    fields.add(facts.read, facts.called)
    return fields


def test_attributes_keys_and_both() -> None:
    fields = _fields('a = (opt.width, cfg["width"], both.width, both["depth"], opt.inner.rate, cfg.get("depth", 3))')
    assert fields.object("opt", {"opt.width": "4", "opt.inner.rate": "0.5"}) == (
        "SimpleNamespace(width=4, inner=SimpleNamespace(rate=0.5))"
    )
    assert fields.object("cfg", {"cfg.width": "4", "cfg.depth": "2"}) == '{"width": 4, "depth": 2}'
    made = eval(fields.object("both", {"both.width": "4", "both.depth": "2"}))
    assert (made.width, made["depth"], made["width"]) == (4, 2, 4)


def test_an_argument_with_any_name_of_which_several_keys_are_read() -> None:
    fields = _fields('a = (h["rates"], h["kernels"], h["channels"])')
    assert fields.of("h") == ["rates", "kernels", "channels"]


def test_what_is_no_object_of_settings() -> None:
    fields = _fields("a = (x.shape, x.append, net.features(x), encoder.units, encoder(x), table['a'], table['b'])")
    assert fields.of("x") == [], "arrays and lists have these"
    assert fields.of("net") == [], "what is called stands for layers"
    assert fields.of("encoder") == [], "it is called itself"
    assert fields.of("table") == [], "a table of strings is guessed otherwise"


MANY_WAYS = """
KINDS = {"gru": 1, "lstm": 2}

def head(options):
    if options["activation"] not in ("relu", "tanh"):
        raise ValueError("unknown activation")
    return nn.Dense(options["units"], activation=options["activation"])

class Attributes(nn.HybridBlock):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.layer = nn.Dense(config.hidden.width)
        self.gates = KINDS[config.kind]

    def hybrid_forward(self, F, x):
        return F.Dropout(self.layer(x), p=self.config.dropout) * self.gates

class Keys(nn.HybridBlock):
    def __init__(self, opt):
        super().__init__()
        self.head = head(opt)
        self.scale = opt.scale

    def hybrid_forward(self, F, x):
        return self.head(x) * self.scale

class Record:
    def __init__(self, size: int, kind: str, unused: float):
        self.size, self.kind = size, kind

class Typed(nn.HybridBlock):
    def __init__(self, config: Record):
        super().__init__()
        assert config.kind in ["big", "tiny"]
        self.layer = nn.Dense(config.size)

    def hybrid_forward(self, F, x):
        return self.layer(x) if F is mx.nd else self.layer(x) + 1
"""


def test_blocks_are_built_with_objects_of_settings(prove: Prove) -> None:
    outcomes = prove(MANY_WAYS)
    assert outcomes["Attributes"].status is outcomes["Keys"].status is ProofStatus.PROVED
    assert outcomes["Typed"].status is ProofStatus.REFUTED
    assert outcomes["Attributes"].setup == (
        "(config=SimpleNamespace(hidden=SimpleNamespace(width=4), kind='gru', dropout=0.5)) on x (N, 6)"
    )
    assert outcomes["Keys"].setup == (
        '(opt=type("Settings", (dict,), {"__getattr__": dict.__getitem__})'
        '({"scale": 0.5, "activation": \'relu\', "units": 4})) on x (N, 6)'
    )
    assert outcomes["Typed"].setup == "(config=Record(size=4, kind='big', unused=0.5)) on x (N, 6)"


def test_a_field_that_an_error_speaks_of_gets_another_value(prove: Prove) -> None:
    outcomes = prove("""
    class Net(nn.HybridBlock):
        def __init__(self, cfg):
            super().__init__()
            self.layer = nn.Dense(cfg.units)
            if cfg.level > 3:
                raise ValueError("level is too high")

        def hybrid_forward(self, F, x):
            return self.layer(x)
    """)
    assert outcomes["Net"].status is ProofStatus.PROVED
    assert outcomes["Net"].setup == "(cfg=SimpleNamespace(units=4, level=2)) on x (N, 6)"


class _Chosen:
    def __init__(self, backbone: str, mode: str, number: int) -> None:
        nets = {"small": 4, "large": 8}
        if backbone not in nets:
            raise ValueError(backbone)
        self.size = {"wide": 2, "deep": 3}[mode]
        if number != 7:
            self.size = nets[backbone]


def test_choices_that_a_function_writes_down_itself() -> None:
    found = choices(_Chosen)
    assert found["backbone"] == ("'small'", "'large'")
    assert found["mode"] == ("'wide'", "'deep'")
    assert "number" not in found, "what a number is not says little of what it is"
