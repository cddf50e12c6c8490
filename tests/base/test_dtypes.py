"""Dtypes that are names only, as complex32: nothing is made of them silently in another one."""

import pytest

import torchlike as torch
from compat.compare import check
from compat.compare.tolerances import EXACT
from torchlike._base import dtypes as dt

MADE_OF = {
    "ones": lambda d: torch.ones(2, dtype=d), "empty": lambda d: torch.empty(2, dtype=d),
    "eye": lambda d: torch.eye(2, dtype=d), "full": lambda d: torch.full((2,), 1, dtype=d),
    "arange": lambda d: torch.arange(2, dtype=d),
    "linspace": lambda d: torch.linspace(0, 1, 2, dtype=d), "tensor": lambda d: torch.tensor([1], dtype=d),
    "as_tensor": lambda d: torch.as_tensor([1.0], dtype=d), "frombuffer": lambda d: torch.frombuffer(b"12345678", dtype=d),
    "zeros_like": lambda d: torch.zeros_like(torch.ones(2), dtype=d),
    "new_zeros": lambda d: torch.ones(2).new_zeros(2, dtype=d),
    "rand": lambda d: torch.rand(2, dtype=d), "randn": lambda d: torch.randn(2, dtype=d),
    "normal": lambda d: torch.normal(0.0, 1.0, (2,), dtype=d), "randint": lambda d: torch.randint(2, (2,), dtype=d),
    "randperm": lambda d: torch.randperm(2, dtype=d), "randn_like": lambda d: torch.randn_like(torch.ones(2), dtype=d),
    "hann_window": lambda d: torch.hann_window(3, dtype=d), "to": lambda d: torch.ones(2).to(d),
    "view": lambda d: torch.ones(2).view(d), "type": lambda d: torch.ones(2).type(d),
    "sum": lambda d: torch.ones(2).sum(dtype=d), "softmax": lambda d: torch.ones(2).softmax(0, dtype=d),
    "Linear": lambda d: torch.nn.Linear(1, 1, dtype=d), "Module.to": lambda d: torch.nn.Linear(1, 1).to(d),
    "sparse": lambda d: torch.sparse_coo_tensor([[0]], [1.0], (2,), dtype=d),
    "meta": lambda d: torch.ones(2, dtype=d, device="meta"),
    "float16 * 1j": lambda d: torch.ones(2).half() * 1j, "complex": lambda d: torch.complex(*[torch.ones(2).half()] * 2),
}


@pytest.mark.filterwarnings("ignore:Complex modules are a new feature", "ignore:Sparse invariant checks are implicitly")
@pytest.mark.parametrize("dtype", dt.NAMES_ONLY, ids=str)
def test_nothing_is_made_of_a_name(dtype):
    for name, make in MADE_OF.items():
        with pytest.raises((NotImplementedError, RuntimeError, TypeError)):
            pytest.fail(f"{name} returns {make(dtype).dtype}")


@pytest.mark.filterwarnings("ignore:Complex modules are a new feature")
@pytest.mark.filterwarnings("ignore:Sparse invariant checks")  # told once, here or in an earlier test
@pytest.mark.parametrize("name", [name for name in MADE_OF if name not in ("arange", "randperm", "randint", "hann_window")])
def test_complex32_is_refused_by_name(name):
    """Where PyTorch has it; it has no ranges, permutations and windows of complex numbers."""
    with pytest.raises(NotImplementedError, match="complex32"):
        MADE_OF[name](torch.complex32)


@pytest.mark.parametrize("dtype", ["complex32", "complex64", "complex128", "float16", "bfloat16", "float32", "float64"])
def test_finfo(dtype):
    def told(t):
        info = t.finfo(getattr(t, dtype))
        return repr(info), info.dtype, info.resolution, info.bits, info.eps, info.max, info.tiny

    check(told, tolerance=EXACT)
