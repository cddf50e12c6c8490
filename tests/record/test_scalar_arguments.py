"""Tensors that are given where PyTorch takes a number: without dimensions and grad their value, else its TypeError."""

import numpy as np
import pytest
import torch

import torchlike

CALLS = {
    "alpha of add": lambda p, x, s: p.add(x, x, alpha=s),
    "alpha in place": lambda p, x, s: x.clone().add_(x, alpha=s),
    "alpha of sub_": lambda p, x, s: x.clone().sub_(x, alpha=s),
    "alpha of rsub": lambda p, x, s: p.rsub(x, x, alpha=s),
    "value of addcdiv_": lambda p, x, s: x.clone().addcdiv_(x, x, value=s),
    "value of addcmul": lambda p, x, s: p.addcmul(x, x, x, value=s),
    "beta of addmm": lambda p, x, s: p.addmm(x, x[:, :2], x[:2], beta=s),
    "alpha of index_add": lambda p, x, s: x.index_add(0, p.tensor([0]), x[:1], alpha=s),
    "alpha of _foreach_add": lambda p, x, s: p._foreach_add([x], [x], alpha=s)[0],
    "threshold": lambda p, x, s: p.nn.functional.threshold(x, s, 3),
    "slope of leaky_relu": lambda p, x, s: p.nn.functional.leaky_relu(-x, s),
    "alpha of celu": lambda p, x, s: p.celu(-x, s),
    "eps of layer_norm": lambda p, x, s: p.nn.functional.layer_norm(x, (3,), eps=s),
    "value of pad": lambda p, x, s: p.nn.functional.pad(x, (1, 1), value=s),
    "fill_value of full": lambda p, x, s: p.full((2,), s),
    "end of arange": lambda p, x, s: p.arange(0, s),
    "correction of std": lambda p, x, s: p.std(x, correction=s),
    "std of normal": lambda p, x, s: (p.manual_seed(0), p.normal(0.0, s, (2,)))[1],
    "rate of exponential_": lambda p, x, s: (p.manual_seed(0), p.empty(2).exponential_(s))[1],
    "diagonal of diag": lambda p, x, s: p.diag(x[0], s),
    "chunks": lambda p, x, s: p.stack(x[:, :2].chunk(s, 1)),
    "n of matrix_power": lambda p, x, s: p.linalg.matrix_power(x[:2, :2], s),
}
NUMBERS = {"float": 0.5, "int": 2, "of one element": [2.0], "with grad": 0.5}
ANY_TEXT = {"arange", "chunks", "_foreach_add"}  # overloads that PyTorch lists, errors of Python's


def outcome(package, call, kind):
    s = package.tensor(NUMBERS[kind], requires_grad=kind == "with grad")
    x = package.tensor([[1.0, 2.0, 3.0], [0.5, 4.0, 1.5]])
    x = package.cat([x, x[:1] + 1])
    try:
        found = CALLS[call](package, x, s).numpy()
    except TypeError as error:
        return TypeError, "" if call.rpartition(" ")[2] in ANY_TEXT else str(error).partition(" received an invalid")[0]
    assert s.tolist() == NUMBERS[kind]  # the argument is as it was
    return found


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("call", CALLS)
def test_as_in_torch(call, kind):
    want, got = outcome(torch, call, kind), outcome(torchlike, call, kind)
    if isinstance(want, tuple) or isinstance(got, tuple):
        assert got == want
    else:
        np.testing.assert_allclose(got, want, rtol=1e-5)


def test_a_second_value_is_not_the_first():
    x = torchlike.ones(2)
    for value in (0.5, 2.0, -1.0):
        assert x.add(x, alpha=torchlike.tensor(value)).tolist() == [1 + value] * 2
