"""Tensors of real PyTorch as torchlike's, and the reverse."""

import subprocess
import sys

import numpy as np
import pytest
import torch

import torchlike
from torchlike._base.errors import UnsupportedError

DTYPES = ["float64", "float32", "float16", "bfloat16", "complex64", "complex128", "int64", "int32", "int16", "int8", "uint8",
          "uint16", "uint32", "uint64", "bool"]


def _pointer(x):
    return x.__jax_array__().unsafe_buffer_pointer()


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_there_and_back(dtype, copy):
    source = torch.tensor([0, 1, 2, 250]).repeat(64).to(getattr(torch, dtype)).reshape(16, 16)
    made = torchlike.from_torch(source, copy=copy)
    assert str(made.dtype) == str(source.dtype)
    assert made.shape == source.shape
    assert made.tolist() == source.tolist()
    assert (_pointer(made) == source.data_ptr()) is not copy
    back = torchlike.to_torch(made, copy=copy)
    assert (back.data_ptr() == _pointer(made)) is not copy
    assert back.dtype is source.dtype
    assert torch.equal(back, source)


@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_do_not_see_writes(dtype):
    source = torch.ones(100).to(getattr(torch, dtype))
    made = torchlike.from_torch(source)
    source.zero_()
    assert (made != 0).sum().item() == 100
    torchlike.to_torch(made).zero_()
    assert (made != 0).sum().item() == 100


@pytest.mark.parametrize("source", [
    torch.arange(6.0).reshape(2, 3).t(), torch.arange(12.0)[1::2], torch.tensor(3.5), torch.ones(0, 3),
    torch.ones(3).expand(2, 3), torch.tensor([1 + 2j]).conj(), torch.tensor([1 + 2j]).conj().imag,
    torch.arange(6).reshape(2, 3).to(torch.bfloat16).t()], ids=str)
def test_layouts(source):
    made = torchlike.from_torch(source)
    assert made.is_contiguous()
    assert made.tolist() == source.tolist()
    assert torch.equal(torchlike.to_torch(made), source.resolve_conj())


def test_requires_grad():
    for source in (torch.nn.Parameter(torch.ones(2)), torch.ones(2)):
        made = torchlike.from_torch(source)
        assert (made.requires_grad, made.is_leaf) == (source.requires_grad, True)
        assert torchlike.to_torch(made).requires_grad is source.requires_grad
    with pytest.raises(RuntimeError, match=r"from_torch: .* use tensor\.detach\(\)"):
        torchlike.from_torch(torch.ones(2, requires_grad=True) * 2)
    with pytest.raises(RuntimeError, match=r"to_torch: .* use tensor\.detach\(\)"):
        torchlike.to_torch(torchlike.ones(2, requires_grad=True) * 2)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("make", "text"), [
    (lambda: torch.eye(2).to_sparse(), r"layout torch\.sparse_coo"),
    (lambda: torch.eye(2).to_sparse_csr(), r"layout torch\.sparse_csr"),
    (lambda: torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8), "quantized values"),
    (lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]), "nested values"),
    (lambda: torch.ones(2, device="meta"), "meta device"),
    (lambda: torch.ones(2, dtype=torch.complex32), r"dtype torch\.complex32"),
], ids=["coo", "csr", "quantized", "nested", "meta", "complex32"])
def test_what_has_no_counterpart_is_refused_by_name(make, text):
    with pytest.raises(UnsupportedError, match=text):
        torchlike.from_torch(make())


def test_wrong_types():
    for x in (3, np.ones(2), torchlike.ones(2)):
        with pytest.raises(TypeError, match=r"must be a torch\.Tensor"):
            torchlike.from_torch(x)
    with pytest.raises(TypeError, match=r"must be a torchlike\.Tensor"):
        torchlike.to_torch(torch.ones(2))


@pytest.mark.parametrize("source", [torch.ones(100, 3).t(), torch.ones(101)[1:], torch.tensor([1j]).conj()], ids=str)
def test_without_a_copy_only_what_can_be_shared(source):
    with pytest.raises(ValueError, match="copy"):
        torchlike.from_torch(source, copy=False)


@pytest.mark.slow
def test_torch_is_not_imported():
    code = ("import sys, torchlike\nassert 'torch' not in sys.modules\n"
            "for prepare in (lambda: None, torchlike.install):\n"
            "    prepare()\n"
            "    try:\n        torchlike.to_torch(torchlike.ones(2))\n"
            "    except ImportError as error:\n        assert 'torch is not imported' in str(error)\n"
            "    else:\n        raise AssertionError\n")
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
