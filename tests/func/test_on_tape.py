"""`torch.func.grad` and `vjp` of arguments of layout COO, as PyTorch's."""

import pytest
import torch

import torchlike

CALLS = {
    "mm": "f.grad(lambda s: t.sparse.mm(s, d).sum())(s)",
    "values": "f.grad(lambda s: s.coalesce().values().pow(2).sum())(s)",
    "to_dense": "f.grad(lambda s: s.to_dense().pow(2).sum())(s)",
    "sum": "f.grad(lambda s: t.sparse.sum(s))(s)",
    "both": "f.grad(lambda s, d: t.sparse.mm(s, d).pow(2).sum(), argnums=(0, 1))(s, d)",
    "dense of both": "f.grad(lambda s, d: t.sparse.mm(s, d).pow(2).sum(), argnums=1)(s, d)",
    "value": "f.grad_and_value(lambda s: (s @ d).sum())(s)",
    "aux": "f.grad(lambda s: ((s * s).to_dense().sum(), (s, d)), has_aux=True)(s)",
    "unused": "f.grad(lambda s, d: d.sum(), argnums=(0, 1))(s, d)",
    "constant": "f.grad(lambda s, d: t.ones(()), argnums=(0, 1))(s, d)",
    "vjp": "(lambda out, pull: (out, pull(t.ones(2, 2)), pull(t.ones(2, 2) * 2)))(*f.vjp(lambda s, d: s @ d, s, d))",
    "vjp of COO": "(lambda out, pull: (out, pull(s)))(*f.vjp(lambda s: s * 2, s))",
    "vjp with aux": "(lambda out, pull, aux: (out, pull(out), aux))(*f.vjp(lambda s: (s @ d, d), s, has_aux=True))",
    "no scalar": "f.grad(lambda s: s @ d)(s)",
    "of integers": "f.grad(lambda s: s.to_dense().sum())(s.int())",
    "cotangents of another shape": "f.vjp(lambda s: s @ d, s)[1](t.ones(3))",
}


def outcome(t, call):
    dense = t.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]])
    try:
        found = eval(call, {"t": t, "f": t.func, "s": dense.to_sparse(), "d": t.arange(6.0).view(3, 2)})
    except Exception as error:  # noqa: BLE001 - compared
        return type(error).__name__, str(error)
    return plain(found)


def plain(x):
    if isinstance(x, tuple):
        return [plain(y) for y in x]
    return str(x.layout), x.to_dense().tolist(), x.requires_grad


@pytest.mark.parametrize("name", CALLS)
def test_as_pytorch(name):
    assert outcome(torchlike, CALLS[name]) == outcome(torch, CALLS[name])


def test_a_gradient_that_would_be_lost_is_refused():
    """The tape gives none by what the function captures; PyTorch does."""
    sparse, weight = torchlike.eye(2).to_sparse(), torchlike.ones(2, 2, requires_grad=True)
    for f in (lambda s: (s @ weight).sum(), lambda s: (s @ weight.exp()).sum(), lambda s: s.to_dense().sum() + weight[0, 0]):
        with pytest.raises(torchlike.UnsupportedError, match="a sparse tensor"):
            torchlike.func.grad(f)(sparse)
    with pytest.raises(torchlike.UnsupportedError, match="a sparse tensor"):
        torchlike.func.grad(lambda s: s.to_dense().sum())(sparse.requires_grad_())
