"""Sparse tensors under `torch.func`: gradients are those of a backward pass, and PyTorch's where it has them."""

import warnings

import pytest
import torch

import torchlike
from compat import compare
from compat.compare.tolerances import ROWS
from tests.speed import sampled

INDICES = [[0, 1, 2, 0], [1, 0, 2, 2]]
# Functions of v, the 4 values of the sparse `s`, and of d, a strided matrix; A and C are sparse constants.
FUNCTIONS = {
    "to_dense": "s.to_dense() * d",
    "mm": "s @ d",
    "mm of a constant": "A @ d",
    "mm of CSR": "C @ d",
    "mm from the right": "d @ s",
    "mv": "s.mv(d[0])",
    "sparse.mm": "t.sparse.mm(s, d)",
    "mm of two": "(s @ A).to_dense() * d",
    "addmm": "t.addmm(d, s, d)",
    "sparse.addmm": "t.sparse.addmm(d, A, d)",
    "bmm": "t.bmm(B, t.stack([d, d]))",
    "mul": "(s * 3).to_dense() * d",
    "mul of two": "(s * A).to_dense() * d",
    "mul strided": "(A * d).to_dense()",
    "div": "(s / 2).to_dense() * d",
    "neg": "(-s).to_dense() * d",
    "sin": "s.coalesce().sin().to_dense() * d",
    "sqrt": "s.coalesce().sqrt().to_dense()",
    "add": "(s + A).to_dense() * d",
    "sub": "(A - s).to_dense() * d",
    "add to strided": "d + s",
    "sum": "t.sparse.sum(s) * d.sum()",
    "sum along": "t.sparse.sum(s, 0).to_dense() * d[0]",
    "softmax": "t.sparse.softmax(s, 1).to_dense() * d",
    "log_softmax": "t.sparse.log_softmax(s, 1).to_dense() * d",
    "transpose": "s.t().to_dense() * d",
    "values": "s.coalesce().values() * v",
    "sparse_mask": "d.sparse_mask(A).to_dense()",
    "to_sparse": "d.to_sparse().to_dense() * d",
    "to_sparse_csr": "d.to_sparse_csr().to_dense() * d",
    "csr": "t.sparse_csr_tensor(t.tensor([0, 2, 3, 4]), t.tensor([1, 2, 0, 2]), v, (3, 3)) @ d",
    "csr to_dense": "t.sparse_csr_tensor(t.tensor([0, 2, 3, 4]), t.tensor([1, 2, 0, 2]), v, (3, 3)).to_dense() * d",
    "sampled_addmm": "t.sparse.sampled_addmm(C, d, d).to_dense()",
    "unsqueeze": "s.unsqueeze(0).to_dense() * d",
    "index_select": "s.index_select(0, t.tensor([0, 2])).to_dense() * d[:2]",
    "select": "s.select(0, 1).to_dense() * d[0]",
    "cat": "t.cat([s, A]).to_dense().sum(0) * d",
    "linear": "t.nn.functional.linear(A, d)",
    "duplicates": "t.sparse_coo_tensor(t.zeros(2, 4).long(), v, (3, 3)).to_dense() * d",
}


def function(t, text):
    """The sum of an expression, as a function of v and d."""
    def total(v, d):
        indices = t.tensor(INDICES)
        constant = t.sparse_coo_tensor(t.tensor([[0, 1, 2], [1, 0, 2]]), t.tensor([1.0, 2.0, 3.0]), (3, 3))
        names = {"t": t, "v": v, "d": d, "A": constant, "s": t.sparse_coo_tensor(indices, v, (3, 3)),
                 "C": constant.to_sparse_csr(), "B": t.stack([constant, constant])}
        return (eval(text, names) ** 2).sum()
    return total


def arguments(t):
    return t.tensor([1.0, 2.0, 3.0, 4.0]), t.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]])


def by_backward(t, text):
    inputs = [x.requires_grad_() for x in arguments(t)]
    found = t.autograd.grad(function(t, text)(*inputs), inputs, allow_unused=True, materialize_grads=True)
    return [g.to_dense() for g in found]  # some are sparse


def by_func(t, text):
    return t.func.grad(function(t, text), argnums=(0, 1))(*arguments(t))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sampled(FUNCTIONS, fast=4))
def test_gradients(name):
    want, got = by_backward(torchlike, FUNCTIONS[name]), by_func(torchlike, FUNCTIONS[name])
    found = compare.difference(compare.describe(tuple(want)), compare.describe(got), ROWS)
    assert not found, found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sampled(FUNCTIONS, fast=4))
def test_gradients_are_pytorchs(name):
    try:
        want = by_func(torch, FUNCTIONS[name])
    except (RuntimeError, TypeError):
        want = None  # PyTorch has no such derivative
    if want is not None:
        found = compare.difference(compare.describe(want), compare.describe(by_func(torchlike, FUNCTIONS[name])), ROWS)
        assert not found, found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sampled(FUNCTIONS, fast=4))
def test_tangents(name):
    """The tangent is the gradient's product with the direction."""
    total, inputs = function(torchlike, FUNCTIONS[name]), arguments(torchlike)
    directions = tuple(torchlike.arange(float(x.numel())).reshape(x.shape) / 10 + 0.5 for x in inputs)
    got = torchlike.func.jvp(total, inputs, directions)[1]
    want = sum((g * d).sum() for g, d in zip(by_backward(torchlike, FUNCTIONS[name]), directions, strict=True))
    assert got.item() == pytest.approx(want.item(), rel=1e-5)


def test_a_detached_operand_has_no_gradient():
    """As a rule would have that computes with one: so the comparison sees it."""
    with warnings.catch_warnings(action="ignore"):
        got = torchlike.func.grad(lambda d: (d.detach().to_sparse().to_dense() ** 2).sum())(arguments(torchlike)[1])
    assert not got.any()


@pytest.mark.filterwarnings("ignore")
def test_hvp_of_a_sparse_input():
    def products(lib):
        s = lib.sparse_coo_tensor(INDICES, lib.tensor([1.0, 2.0, 3.0, 4.0]), (3, 3)).coalesce()
        d = lib.arange(6.0).reshape(3, 2)
        return lib.autograd.functional.hvp(lambda x: (x @ d).pow(2).sum(), s, s)

    assert not compare.difference(compare.describe(products(torch)), compare.describe(products(torchlike)), ROWS)


REFUSED = {
    "grad in vmap": lambda func, s, d: func.vmap(lambda x: func.grad(lambda s: (s.to_dense() * x).sum())(s))(d),
    "vjp with a history": lambda func, s, d: func.vjp(lambda s: s @ d, s.detach().requires_grad_()),
    "tangent": lambda func, s, d: func.jvp(lambda d: d * 2, (d,), (s,)),
    "jacrev": lambda func, s, d: func.jacrev(lambda s: s @ d)(s),
    "vmap": lambda func, s, d: func.vmap(lambda s: s * 2)(s),
    "result of vmap": lambda func, s, d: func.vmap(lambda d: s)(d),
    "aux": lambda func, s, d: func.grad(lambda d: (d.sum(), s), has_aux=True)(d),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REFUSED)
def test_sparse_arguments_and_results_are_refused(name):
    s = torchlike.sparse_coo_tensor(INDICES, torchlike.tensor([1.0, 2.0, 3.0, 4.0]), (3, 3))
    with pytest.raises(torchlike.UnsupportedError, match="a sparse tensor"):
        REFUSED[name](torchlike.func, s, torchlike.ones(3, 3))
