"""Values that are written to without history: the gradient goes to what was there before, with the values from after it."""

import contextlib
import importlib
import itertools

import jax
import numpy as np
import pytest
import torch

import torchlike
from tests.speed import sampled
from torchlike._diff.vjp_engine import functional

START = np.array([[0.5, -1.0], [2.0, 0.7]])


def after_a_write_into_a_view(lib, w):
    v = w * 2
    v[..., 1].copy_(v[..., 0])
    with lib.no_grad():
        v.zero_()
    return (v * v).sum()


def after_the_history_was_asked_for(lib, w):
    v = w * 2
    v[..., 1].copy_(v[..., 0])
    assert v.grad_fn is not None
    with lib.no_grad():
        v.mul_(5)
    return (v * v).sum()


def after_a_run(lib, w):
    v = w * 2
    v.sum().item()
    with lib.no_grad():
        v.mul_(5)
    return (v * v).sum()


def between_runs(lib, w):
    v = w * 2
    v.sum().item()
    with lib.no_grad():
        v[0].mul_(7)
    v.sum().item()
    return (v * v).sum()


def of_what_is_forgotten(lib, w):
    v = w * 2
    v.sum().item()
    with lib.no_grad():
        v.mul_(3)
    for i in range(12):
        (w * i).sum().item()
    return (v * v).sum()


def seen_by_a_view(lib, w):
    v = w * 2
    a = v[0]
    with lib.no_grad():
        v.mul_(7)
    return (a * a).sum()


def through_data(lib, w):
    v = w * 2
    a, b = v.unbind(0)
    v.data.mul_(7)
    return (a * a * b).sum()


def to_a_view(lib, w):
    v = w * 2
    with lib.no_grad():
        v[0].mul_(7)
    return (v * v).sum()


def before_a_write_into_a_view(lib, w):
    v = w * 2
    with lib.no_grad():
        v.mul_(3)
    v[0].mul_(w[1])
    return (v * v).sum()


def before_it_in_another_run(lib, w):
    v = w * 2
    v.sum().item()
    with lib.no_grad():
        v.mul_(3)
    v[0].mul_(w[1])
    v.sum().item()
    return (v * v).sum()


def after_a_backward_pass(lib, w):
    v = w * 2
    v[0].copy_(v[1])
    v.sum().backward(retain_graph=True)
    w.grad = None
    with lib.no_grad():
        v.mul_(3)
    return (v * v).sum()


def to_the_view_that_was_written_to(lib, w):
    v = w * 2
    a = v[0]
    a.mul_(w[1])
    a.sum().item()
    with lib.no_grad():
        a.mul_(3)
    return (a * a * v[1]).sum()


def as_complex_numbers(lib, w):
    v = w * 2
    z = lib.view_as_complex(v)
    with lib.no_grad():
        v.mul_(3)
    return (z * z).abs().sum()


def of_a_tensor_without_history_on_it(lib, w):
    v = w * 2
    v.detach().mul_(3)
    return (v * v).sum()


def twice_with_a_write_between(lib, w):
    v = w * 2
    v[..., 1].copy_(v[..., 0])
    with lib.no_grad():
        v[0].zero_()
    v[1].mul_(w[0])
    u = v.t()
    with lib.no_grad():
        u[0].mul_(2)
    return (v * v * u.sum()).sum()


def of_a_leaf_between_its_uses(lib, w):
    y = w * 2
    with lib.no_grad():
        w.mul_(3)
    return (y * y + w * w).sum()


def of_a_leaf_behind_its_view(lib, w):
    a = w[0]
    with lib.no_grad():
        w.mul_(3)
    return (a * a + w[1]).sum()


def of_a_leaf_through_detach(lib, w):
    y = w * 2 * w.detach().clone()
    w.detach().mul_(2)
    return y.sum() + w.exp().sum()


def read_by_a_checkpoint(lib, w):
    v = w * 2
    with lib.no_grad():
        v.mul_(5)
    checkpoint = importlib.import_module(f"{lib.__name__}.utils.checkpoint").checkpoint
    return checkpoint(lambda v: (v * v).sin(), v, use_reentrant=False).sum()


def clamped_on_the_way(lib, w):
    h = w
    for i in range(6):
        h = (h * 1.1).sin()
        if i % 2:
            with lib.no_grad():
                h.clamp_(-0.3, 0.3)
    return (h * h).sum()


def of_a_leaf_in_several_runs(lib, w):
    y = w * 2
    with lib.no_grad():
        w.copy_(w * 3)
    y = y + w * 2
    y.sum().item()
    with lib.no_grad():
        w.copy_(w * 3)
    return (y * w).sum()


def of_the_data_of_a_leaf(lib, w):
    y = w * 2
    w.data = w.data * 3
    return (y * y + w * w).sum()


PROGRAMS = (read_by_a_checkpoint, clamped_on_the_way, of_the_data_of_a_leaf,
            after_a_write_into_a_view, after_the_history_was_asked_for, after_a_run, between_runs, of_what_is_forgotten,
            seen_by_a_view, through_data, to_a_view, before_a_write_into_a_view, before_it_in_another_run,
            after_a_backward_pass, to_the_view_that_was_written_to, as_complex_numbers,
            of_a_tensor_without_history_on_it, twice_with_a_write_between, of_a_leaf_between_its_uses,
            of_a_leaf_behind_its_view, of_a_leaf_through_detach)


def leaf_after_its_use(lib, w):
    y = w.exp()
    with lib.no_grad():
        w.mul_(3)
    return y.sum()


def leaf_after_its_use_and_a_run(lib, w):
    y = w.exp()
    y.sum().item()
    with lib.no_grad():
        w.mul_(3)
    w.sum().item()
    return y.sum()


def read_by_a_function(lib, w):
    class Square(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    v = w * 2
    with lib.no_grad():
        v.mul_(5)
    return Square.apply(v).sum()


def read_by_a_function_in_another_run(lib, w):
    v = w * 2
    v.sum().item()
    with lib.no_grad():
        v.mul_(5)
    v.sum().item()
    return read_by_a_function(lib, v)


def gradient(lib, program, around=contextlib.nullcontext):
    w = lib.tensor(START, requires_grad=True)
    with around():
        loss = program(lib, w)
        loss.backward()
    return w.grad.numpy(), loss.item()


MORE = (leaf_after_its_use, leaf_after_its_use_and_a_run, of_a_leaf_in_several_runs, read_by_a_function,
        read_by_a_function_in_another_run)


@pytest.mark.parametrize(("program", "around"), sampled([*PROGRAMS, *MORE], [contextlib.nullcontext, functional], fast=4))
def test_gradient(program, around):
    ours, theirs = gradient(torchlike, program, around), gradient(torch, program)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)
    assert ours[1] == pytest.approx(theirs[1], rel=1e-12)


@pytest.mark.parametrize(("program", "around"), sampled([
    *itertools.product(PROGRAMS, [contextlib.nullcontext, torchlike.lowering]),
    *[(program, torchlike.lowering) for program in MORE[2:]]], fast=4))
def test_lowered(program, around):
    w = torchlike.tensor(START, requires_grad=True)
    with around():
        lowered = torchlike.lower(program(torchlike, w))
    with jax.enable_x64(True):
        value, grads = jax.value_and_grad(lowered)(lowered.values())
    expected, loss = gradient(torch, program)
    np.testing.assert_allclose(grads["w"], expected, rtol=1e-12)
    assert float(value) == pytest.approx(loss, rel=1e-12)


def test_a_leaf_stands_for_what_it_holds():
    w = torchlike.tensor(START, requires_grad=True)
    lowered = torchlike.lower(leaf_after_its_use(torchlike, w))
    assert float(lowered(lowered.values())) == pytest.approx(np.exp(3 * START).sum())


@pytest.mark.parametrize("program", MORE[2:4])
def test_what_is_gone_is_refused(program):
    w = torchlike.tensor(START, requires_grad=True)
    with pytest.raises(torchlike.UnsupportedError, match=r"gone|not remembered"):
        torchlike.lower(program(torchlike, w))


def test_a_written_result_is_refused():
    w = torchlike.tensor(START, requires_grad=True)
    loss = (w * 2).sum()
    with torchlike.no_grad():
        loss.mul_(3)
    with pytest.raises(torchlike.UnsupportedError, match="written to without history"):
        torchlike.lower(loss)
