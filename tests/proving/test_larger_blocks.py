"""Blocks that say nothing alone are judged with the larger block of their module that holds them."""

from __future__ import annotations

from collections.abc import Callable

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.project.settings.directives import parse
from hybridlint.proving.child.directive_text import arguments_text

Prove = Callable[..., dict[str, ProofOutcome]]


def test_a_block_that_a_plain_block_prepares_is_judged_within_it(prove: Prove) -> None:
    found = prove(
        """
        class Core(gluon.HybridBlock):
            def __init__(self, units, heads):
                super().__init__()
                self.batch, self.heads = None, heads
                self.proj = nn.Dense(units * heads)

            def hybrid_forward(self, F, x):
                return F.reshape(self.proj(x), shape=(self.batch, self.heads, -1))

        class Wrapper(gluon.Block):
            def __init__(self, units=3, heads=2):
                super().__init__()
                self.core = Core(units, heads)

            def forward(self, x):
                self.core.batch = x.shape[0]
                return self.core(x).sum(axis=2)
        """
    )
    assert found["Core"].status is ProofStatus.REFUTED
    assert "Wrapper() builds it" in (found["Core"].setup or "")


def test_a_child_that_only_the_larger_block_calls_gets_its_shapes_there(prove: Prove) -> None:
    found = prove(
        """
        class Attention(gluon.HybridBlock):
            def __init__(self, units):
                super().__init__()
                self.query, self.key = nn.Dense(units, flatten=False), nn.Dense(units, flatten=False)

            def hybrid_forward(self, F, x, keys):
                return F.batch_dot(F.softmax(F.batch_dot(self.query(x), keys, transpose_b=True)), keys)

        class Decoder(gluon.HybridBlock):
            def __init__(self, units=6):
                super().__init__()
                self.attention = Attention(units)

            def hybrid_forward(self, F, x, memory):
                return self.attention(x, self.attention.key(memory))
        """
    )
    assert found["Attention"].status is ProofStatus.PROVED, found["Attention"].reason
    assert found["Attention"].reason.startswith("only as a part of Decoder(")
    assert found["Decoder"].status is ProofStatus.PROVED


def test_a_child_that_nothing_calls_stays_refuted(prove: Prove) -> None:
    found = prove(
        """
        class Attention(gluon.HybridBlock):
            def __init__(self, units):
                super().__init__()
                self.query, self.key = nn.Dense(units, flatten=False), nn.Dense(units, flatten=False)

            def hybrid_forward(self, F, x):
                return self.query(x)
        """
    )
    assert found["Attention"].status is ProofStatus.REFUTED


def test_an_input_may_have_a_name_that_directives_use() -> None:
    assert parse('(inputs=("N", 8))').named == {"inputs": {"shape": ["N", 8]}}
    assert parse('(inputs=[("N", 8), ("N", 4)])').inputs == ({"shape": ["N", 8]}, {"shape": ["N", 4]})
    assert arguments_text({"inputs": '("N", 8)', "states": '("N", 4)'}) == ['inputs=[("N", 8), ("N", 4)]']


def test_what_is_offered_for_such_an_input_is_read(prove: Prove) -> None:
    body = """
        {comment}
        class Picky(gluon.HybridBlock):
            def hybrid_forward(self, F, inputs):
                return F.log(inputs - 30)
        """
    offered = prove(body.format(comment=""))["Picky"]
    assert offered.status is ProofStatus.NOT_RUN
    assert offered.directive == 'verify(inputs=[("N", "L", uniform(10.0, 100.0))])'
    assert prove(body.format(comment=f"# hybridlint: {offered.directive}"))["Picky"].status is ProofStatus.PROVED


def test_a_class_with_a_method_that_builds_it_is_built_by_that(prove: Prove) -> None:
    found = prove(
        """
        NORMS = {"none": lambda: nn.HybridLambda(lambda F, x: F.identity(x))}

        class Config:
            def __init__(self, units=6, norm="none"):
                self.units, self.norm = units, norm

        class Net(gluon.HybridBlock):
            @classmethod
            def from_config(cls, config):
                net = cls()
                net.down = nn.HybridSequential()
                net.down.add(nn.Dense(config.units), NORMS[config.norm]())
                return net

            def hybrid_forward(self, F, x):
                return self.down(x)
        """
    )
    assert found["Net"].status is ProofStatus.PROVED, found["Net"].reason
    assert "Net.from_config(" in (found["Net"].setup or "")


def test_what_returns_an_input_as_it_is_is_judged_where_it_is_a_part(prove: Prove) -> None:
    """A graph that is an input has no gradient; as a part of a graph the same block is right."""
    outcomes = prove(
        """
        class DropPath(nn.HybridBlock):
            def __init__(self, rate=0.0):
                super().__init__()
                self.rate = rate

            def hybrid_forward(self, F, x):
                return x if self.rate <= 0 else F.Dropout(x, p=self.rate)

        class Layer(nn.HybridBlock):
            def __init__(self, units):
                super().__init__()
                self.dense = nn.Dense(units)
                self.drop = DropPath()

            def hybrid_forward(self, F, x):
                return self.drop(self.dense(x))

        class Alone(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return x, x * 2
        """
    )
    part = outcomes["DropPath"]
    assert part.status is ProofStatus.PROVED, part.reason
    assert part.only[-1].startswith("a part of Layer(")
    assert outcomes["Alone"].status is ProofStatus.REFUTED
    assert outcomes["Alone"].reason == "compiled: gradient of x is missing"
