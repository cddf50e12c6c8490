"""Which tensors a Node keeps under which name: those of PyTorch, of rows whose gradient could do with fewer."""

import pytest
import torch

import torchlike

CALLS = [
    "m.complex(x, y)", "m.fft.rfft(x)", "x.put(index, y[0, :2])", "x.put(index, y[0, :2], accumulate=True)",
    "m.cholesky_solve(x, y)", "m.ormqr(x, y[0], z)", "m.linalg.householder_product(x, y[0])"]


def kept(m, call) -> tuple:
    """(the Node's name, the shapes of what it keeps by name, the error of a backward pass after a write to the result)."""
    x, y, z = (m.arange(9.0, dtype=m.float64).reshape(3, 3).add(k).div(20).requires_grad_() for k in (1, 2, 3))
    out = eval(call, {"m": m, "x": x, "y": y, "z": z, "index": m.tensor([0, 5])})
    node = out.grad_fn
    names = {name for name in NAMES if getattr(node, f"_saved_{name}", None) is not None}
    shapes = {name: tuple(getattr(node, f"_saved_{name}").shape) for name in names}
    with m.no_grad():
        out.mul_(2)
    try:
        m.view_as_real(out).sum().backward() if out.is_complex() else out.sum().backward()
    except RuntimeError as error:
        return node.name(), shapes, str(error).partition("[")[0]
    return node.name(), shapes, ""


NAMES = ("self", "real", "imag", "index", "source", "input2", "input3", "input", "tau", "result")


@pytest.mark.parametrize("call", CALLS)
def test_kept_as_in_torch(call):
    assert kept(torchlike, call) == kept(torch, call)
