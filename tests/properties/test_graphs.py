"""Graphs of 100 000 Nodes are made, differentiated and freed by reference count, without recursion."""

import sys
import weakref

import numpy as np
import pytest

import torchlike as torch
from tests.properties.census import census, no_collector
from tests.speed import NONE, sampled
from torchlike.autograd import Function

SHORT, LONG = 5_000, 100_000


class Same(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 1

    @staticmethod
    def backward(ctx, g):
        return g


def operations(x, n):
    y = x
    for _ in range(n):
        y = y.sin()
    return y


def writes(x, n):
    y = x * 1
    for _ in range(n):
        y.mul_(1.0)
    return y


def views(x, n):
    y = x * 1
    for _ in range(n):
        y = y.view(2)
    return y


def writes_through_views(x, n):
    """Each write to the view is a CopySlices in the history of its base."""
    y = x * 1
    v = y[0:1]
    for _ in range(n):
        v.mul_(1.0)
    return y


def views_of_what_was_written(x, n):
    y = x * 1
    for _ in range(n):
        y[1:].mul_(1.0)
    return y


def functions(x, n):
    y = x
    for _ in range(n // 4):
        y = Same.apply(y)
    return y


def second_order(x, n):
    grad, = torch.autograd.grad(operations(x, n // 10).sum(), x, create_graph=True)
    return grad




CHAINS = [operations, writes, views, writes_through_views, views_of_what_was_written, functions, second_order]


# The first two kinds, short, are fast; what is long is in CI of the first one only.
EACH = pytest.mark.parametrize(("chain", "length"), sampled(
    CHAINS, (SHORT, LONG), fast=lambda i, long: i < 2 and not long, ci=lambda i, long: not i or not long))


@pytest.fixture
def cold():
    with torch.configure(compile="off"):
        yield


@EACH
def test_a_long_chain(chain, length, cold):
    x = torch.tensor([0.5, 0.25], requires_grad=True)
    with no_collector():
        x.sum().item()
        before = census()
        y = chain(x, length)
        node = weakref.ref(y.grad_fn)
        y.sum().backward()
        found = x.grad.tolist()
        assert np.isfinite(found).all() and found != [0.0, 0.0]
        x.grad = None
        del y
        assert node() is None
        x.sum().item()
        assert census() == before


@EACH
def test_a_long_chain_dies_without_backward(chain, length, cold):
    x = torch.tensor([0.5, 0.25], requires_grad=True)
    with no_collector():
        x.sum().item()
        before = census()
        y = chain(x, length)
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
        x.sum().item()
        assert census() == before


@pytest.mark.parametrize("length", sampled((SHORT, LONG), fast={SHORT}, ci=NONE))
def test_the_gradient_of_a_long_chain(length, cold):
    x = torch.tensor([0.5, 0.25], dtype=torch.float64, requires_grad=True)
    y = x
    for i in range(length):
        y = y * (1.5 if i % 2 else 1 / 1.5)
    (y * y).sum().backward()
    np.testing.assert_allclose(x.grad.tolist(), [1.0, 0.5] if length % 2 == 0 else [0, 0], rtol=1e-6)


def test_a_deep_chain_needs_no_stack(cold):
    """Neither recording nor backward nor freeing takes a Python frame a Node."""
    x = torch.tensor([0.5, 0.25], requires_grad=True)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(200)
    try:
        y = operations(x, 3_000)
        y.sum().backward()
        del y
    finally:
        sys.setrecursionlimit(limit)
    assert np.isfinite(x.grad.tolist()).all()


def test_a_graph_held_by_its_middle(cold):
    """What is before a Node that somebody holds stays, what is after it goes."""
    x = torch.tensor([0.5, 0.25], requires_grad=True)
    with no_collector():
        first = operations(x, 500)
        last = operations(first, 500)
        middle, end = first.grad_fn, weakref.ref(last.grad_fn)
        del first, last
        assert end() is None
        count, node = 0, middle
        while node is not None and node.next_functions:
            node, count = node.next_functions[0][0], count + 1
        assert count == 500
        kept = weakref.ref(middle)
        del middle, node
        assert kept() is None
