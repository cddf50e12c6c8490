"""How gradients lie in memory: as PyTorch's, for contiguous operands and for those with the channels last."""

import io
import pickle

import pytest
import torch

import torchlike
from torchlike._base.errors import UnsupportedError

CALLS = {
    "sum": lambda p, x: x.sum(),
    "sum along": lambda p, x: x.sum((0, 2)),
    "sum kept": lambda p, x: x.sum(1, keepdim=True),
    "permute": lambda p, x: x.permute(1, 3, 0, 2),
    "transpose": lambda p, x: x.transpose(1, 2),
    "mT": lambda p, x: x.mT,
    "squeeze": lambda p, x: x[:, :1].squeeze(1),
    "unsqueeze": lambda p, x: x.unsqueeze(2),
    "view": lambda p, x: x.contiguous().view(2, -1),
    "cat": lambda p, x: p.cat([x, x.detach()], 1),
    "stack": lambda p, x: p.stack([x, x.detach()], -1),
    "amax": lambda p, x: x.amax(),
    "amin kept": lambda p, x: x.amin(2, keepdim=True),
    "logsumexp": lambda p, x: x.logsumexp(1),
    "prod": lambda p, x: x.prod(1),
    "nansum": lambda p, x: x.nansum(),
    "norm": lambda p, x: p.linalg.vector_norm(x, dim=1),
    "complex": lambda p, x: x.to(p.complex128),
    "cholesky": lambda p, x: p.linalg.cholesky(x @ x.mT + 9 * p.eye(3, dtype=x.dtype)),
    "qr": lambda p, x: p.linalg.qr(x)[1],
    "pinv": lambda p, x: p.linalg.pinv(x),
    "eigvals": lambda p, x: p.linalg.eigvals(x @ x.mT),
    "solve": lambda p, x: p.linalg.solve(x.detach() @ x.detach().mT, x),
    "solve a vector": lambda p, x: p.linalg.solve(p.eye(3, dtype=x.dtype).expand(2, 3, 3, 3), x[..., 0]),
    "bicubic": lambda p, x: p.nn.functional.interpolate(x, scale_factor=2, mode="bicubic"),
    "glu": lambda p, x: p.nn.functional.glu(x),
}


def made(package, last):
    package.manual_seed(0)
    x = package.rand(2, 3, 3, 4, dtype=package.float64) + 0.5
    x = x[..., :3] + 3 * package.eye(3, dtype=package.float64) if last == "square" else x
    return (x.contiguous(memory_format=package.channels_last) if last is True else x).detach().requires_grad_()


def strides(package, call, last):
    x = made(package, "square" if call in ("eigvals", "solve", "solve a vector") else last)
    out = CALLS[call](package, x)
    gradient, = package.autograd.grad(out, x, package.ones_like(out))
    return out.stride(), gradient.stride()


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("call", CALLS)
def test_strides(call, last):
    assert strides(torchlike, call, last) == strides(torch, call, last)


def test_matrix_products_keep_columns():
    for package in (torch, torchlike):
        x, w = package.ones(4, 3).requires_grad_(), package.ones(5, 3).requires_grad_()
        (x @ w.t()).backward(package.ones(4, 5))
        found, = package.autograd.grad(x @ w.t(), w, package.ones(4, 5))
        assert found.stride() == w.grad.stride() == (3, 1)


def of_sum(package):
    x = package.arange(6.).reshape(2, 3).requires_grad_()
    return package.autograd.grad(x.sum(0), x, package.arange(3.))[0]


def of_cat(package):
    x = package.arange(6.).reshape(2, 3).requires_grad_()
    return package.autograd.grad(package.cat([x, x.detach()], 1), x, package.arange(12.).reshape(2, 6))[0]


@pytest.mark.parametrize("gradient", [of_sum, of_cat])
def test_memory_that_is_not_dense(gradient):
    def saved(package):
        file = io.BytesIO()
        package.save(gradient(package), file)
        file.seek(0)
        return package.load(file)

    for read in (gradient, lambda package: pickle.loads(pickle.dumps(gradient(package))), saved):
        want, got = read(torch), read(torchlike)
        assert (want.tolist(), want.stride()) == (got.tolist(), got.stride())
    want, got = gradient(torch).numpy(), gradient(torchlike).numpy()
    assert want.tolist() == got.tolist() and want.strides == got.strides


def test_writes_to_elements_that_share_their_memory():
    for package in (torch, torchlike):
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            of_sum(package).add_(1)
    with pytest.raises(UnsupportedError, match="part of a gradient"):
        of_sum(torchlike)[0, 1] = 7.


def test_leaves_and_retained_gradients():
    for package in (torch, torchlike):
        x = made(package, True)
        y = x * 1
        y.retain_grad()
        y.sum().backward()
        assert x.grad.stride() == x.stride() and y.grad.is_contiguous()
