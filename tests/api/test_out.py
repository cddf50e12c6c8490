"""``out=`` under autocast: PyTorch casts for no operator that writes to a tensor."""

import numpy as np
import pytest
import torch

import torchlike


def other(t, x):
    """In the other of two dtypes that autocast knows."""
    return x.to(t.float32 if x.dtype is t.bfloat16 else t.bfloat16)


CALLS = {
    "pow": lambda t, x, out: t.pow(x, 2, out=out),
    "prod": lambda t, x, out: t.prod(x, 1, out=out[0]),
    "norm": lambda t, x, out: t.norm(x, dim=1, out=out[0]),
    "linalg.norm": lambda t, x, out: t.linalg.norm(x, dim=1, out=out[0]),
    "mm": lambda t, x, out: t.mm(x, x, out=out),
    "matmul": lambda t, x, out: t.matmul(x, x, out=out),
    "linalg.inv": lambda t, x, out: t.linalg.inv(x, out=out),
    "cat": lambda t, x, out: t.cat([x[:1], x[1:].double()], out=out.double()),
    "sum": lambda t, x, out: t.sum(x, 1, out=out[0]),
    "softmax": lambda t, x, out: t.softmax(x, 1, out=out),
    "float_power": lambda t, x, out: t.float_power(x, 2, out=out.double()),
    "clamp": lambda t, x, out: t.clamp(x, max=0.5, out=out),
    "take": lambda t, x, out: t.take(x, t.tensor([0, 1]), out=out[0, :2]),
    "polar": lambda t, x, out: t.polar(x, x, out=out),
    "index_copy": lambda t, x, out: t.index_copy(x, 0, t.tensor([0]), other(t, x[:1]), out=out),
    "quantile": lambda t, x, out: t.quantile(x, 0.5, dim=1, out=out[0]),
}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", CALLS)
def test_as_pytorch(name, dtype):
    found = []
    for t in (torch, torchlike):
        x = t.arange(9.0).reshape(3, 3).to(getattr(t, dtype)).sin() + 2 * t.eye(3).to(getattr(t, dtype))
        with t.autocast("cpu"):
            try:
                made = CALLS[name](t, x, t.zeros(3, 3, dtype=getattr(t, dtype)))
                found.append((str(made.dtype), made.float().numpy()))
            except (RuntimeError, NotImplementedError) as error:
                found.append((type(error).__name__, str(error).partition("\n")[0]))
    assert found[0][0] == found[1][0], found
    if isinstance(found[0][1], np.ndarray):
        np.testing.assert_allclose(found[1][1], found[0][1], rtol=2e-2 if dtype == "bfloat16" else 1e-5, atol=1e-6)
