"""Operators whose tangent is not the transpose of their gradient: written twice to one place, and padding."""

import pytest

from compat.compare import check
from compat.compare.tolerances import DATABASE
from tests.speed import sampled

CALLS = {
    "scatter": lambda torch, x, s, k: x.scatter(0, k, s),
    "scatter of a number": lambda torch, x, s, k: x.scatter(0, k, 2.0) * s.sum(),
    "index_put": lambda torch, x, s, k: x.index_put((k,), s),
    "index_put of one value": lambda torch, x, s, k: x.index_put((k,), s[0]),
    "index_put, accumulated": lambda torch, x, s, k: x.index_put((k,), s, accumulate=True),
    "index_copy": lambda torch, x, s, k: x.index_copy(0, k, s),
    "put": lambda torch, x, s, k: x.put(k, s),
    "embedding": lambda torch, x, s, k: torch.nn.functional.embedding(k, x[:, None], padding_idx=1).sum() * x * s[0],
    "embedding by frequency": lambda torch, x, s, k: torch.nn.functional.embedding(
        k, x[:, None], scale_grad_by_freq=True).sum() * x * s[0],
    "as_strided_scatter": lambda torch, x, s, k: torch.as_strided_scatter(x.clone(), s[:2], (2,), (2,), 1),
}
ONCE = {"as_strided_scatter", "embedding by frequency"}  # no batches in PyTorch; no frequencies in second gradients


def operands(torch):
    return torch.arange(4.0), torch.tensor([10.0, 20.0, 30.0]), torch.tensor([1, 1, 2])


def derivatives(torch, call, once):
    """Of transforms; unless `once` of several in turn, and of duals on the tape."""
    x, s, k = operands(torch)
    func = torch.func

    def f(x, s):
        return (call(torch, x * x, s * s * s, k) * torch.arange(1.0, 5.0)).sum()

    found = [func.grad(f, (0, 1))(x, s), func.jvp(f, (x, s), (x + 1, s))[1]]
    if once:
        return found
    pairs = torch.stack([x, x + 1])
    found += [func.jacrev(func.jacrev(f, (0, 1)), 1)(x, s), torch.vmap(func.grad(f, 1), (0, None))(pairs, s),
              torch.vmap(lambda x, t: func.jvp(lambda x: f(x, s), (x,), (t,))[1], (0, 1))(pairs, torch.ones(4, 2))]
    leaf = x.clone().requires_grad_()
    outer = func.grad(lambda x: f(x, s * leaf[1:]))(x).sum() + f(leaf, s)
    found.append(torch.autograd.grad(outer, leaf)[0])
    with torch.autograd.forward_ad.dual_level():
        tangent = torch.autograd.forward_ad.unpack_dual(f(torch.autograd.forward_ad.make_dual(leaf, x + 3), s)).tangent
        return [*found, tangent, torch.autograd.grad(tangent, leaf)[0]]


@pytest.mark.parametrize("name", sampled(CALLS, fast=4, ci=2))
def test_derivatives(name):
    check(lambda torch: derivatives(torch, CALLS[name], name in ONCE), tolerance=DATABASE,
          kinds=(DeprecationWarning,))  # PyTorch warns of batching rules that it has not


def test_complex():
    def derivatives(torch):
        z, c = torch.tensor([1, 2j, 3, 4]), torch.tensor([1j, 2, 3j])
        weights = torch.tensor([1j, 2, 3j, 4])

        def f(z, c):
            return (z.index_put((torch.tensor([1, 1, 2]),), c * 1j) * weights).sum()

        return [*torch.func.grad(lambda z, c: f(z, c).real, (0, 1))(z, c), torch.func.jvp(f, (z, c), (z + 1, c))[1]]

    check(derivatives, tolerance=DATABASE)


def test_gradient_of_a_window_lies_as_it():
    def strides(torch):
        src = torch.ones(2, 2, requires_grad=True)
        torch.as_strided_scatter(torch.arange(4.0), src, (2, 2), (1, 2), 0).sum().backward()
        (again,) = torch.autograd.grad(torch.as_strided_scatter(torch.arange(4.0), src, (2, 2), (1, 2)).sum(), src)
        return src.grad.stride(), again.stride()

    check(strides, tolerance=DATABASE)
