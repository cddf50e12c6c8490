"""Indices of sparse matrices in their two forms, against PyTorch."""

import pytest
import torch

import torchlike

CALLS = ("coo_to_csr(torch.tensor([0, 0, 2]), 4)", "coo_to_csr(torch.tensor([0, 0, 2]), 4, out_int32=True)",
         "coo_to_csr(torch.tensor([], dtype=torch.long), 2)",
         "csr_to_coo(torch.tensor([0, 2, 2, 3]), torch.tensor([1, 0, 2]))",
         "csr_to_coo(torch.tensor([0, 2, 2, 3]), torch.tensor([1, 0, 2]), transpose=True)",
         "csr_to_coo(torch.tensor([0, 0, 1]), torch.tensor([4]), out_int32=True)")


@pytest.mark.parametrize("call", CALLS)
def test_indices(call):
    want, got = (eval(f"torch._convert_indices_from_{call}", {"torch": lib}) for lib in (torch, torchlike))
    assert (got.tolist(), str(got.dtype)) == (want.tolist(), str(want.dtype))
