"""Gradients stopped in a scope of their own."""

from __future__ import annotations

from tests.fixers.bodies import fixed, lines


def test_in_a_larger_expression_the_tensor_gets_a_name() -> None:
    before = "return x * F.exp(self.net(x)).detach()"
    after = """
        stopped = F.exp(self.net(x))
        with autograd.pause():
            stopped = F.BlockGrad(stopped)
        return x * stopped
        """
    assert fixed(before, unsafe=True) == lines(after)


def test_a_tensor_that_has_a_name_keeps_it() -> None:
    before = "h = F.exp(self.net(x))\nh = h.detach()\nreturn x * h"
    after = """
        h = F.exp(self.net(x))
        with autograd.pause():
            h = F.BlockGrad(h)
        return x * h
        """
    assert fixed(before, unsafe=True) == lines(after)


def test_an_expression_that_may_not_be_evaluated_is_left() -> None:
    body = "z = F.exp(self.net(x)).detach() if self.on else x\nreturn x * z"
    assert fixed(body, unsafe=True) == body
