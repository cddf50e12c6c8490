"""`torch.nn.utils.parametrizations.orthogonal`, against PyTorch."""

import itertools

import pytest
import torch

import torchlike
from tests.speed import sampled

CASES = [(shape, how, base) for shape, how, base in itertools.product(
    [(4, 4), (5, 3), (3, 5), (2, 4, 3)], ["matrix_exp", "cayley", "householder", None], [True, False])]


def trained(lib, shape, how, base):
    lib.manual_seed(0)
    holder = lib.nn.Module()
    holder.weight = lib.nn.Parameter(lib.randn(shape))
    lib.nn.utils.parametrizations.orthogonal(holder, orthogonal_map=how, use_trivialization=base)
    optimizer = lib.optim.SGD(holder.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (holder.weight * lib.arange(holder.weight.numel()).view(shape)).sum().backward()
        optimizer.step()
    assigned = None
    try:
        holder.weight = lib.randn(shape)
        assigned = holder.weight
    except NotImplementedError as error:
        assigned = str(error)
    return holder.weight, assigned, list(holder.state_dict())


@pytest.mark.parametrize(("shape", "how", "base"), sampled(CASES, fast=4))
def test_training(shape, how, base):
    want, got = trained(torch, shape, how, base), trained(torchlike, shape, how, base)
    torch.testing.assert_close(torchlike.to_torch(got[0].detach()), want[0].detach(), atol=2e-4, rtol=2e-4)
    if isinstance(want[1], str):
        assert got[1] == want[1]
    else:
        torch.testing.assert_close(torchlike.to_torch(got[1].detach()), want[1].detach(), atol=1e-4, rtol=1e-4)
    assert got[2] == want[2]


@pytest.mark.parametrize("make", [
    "p.orthogonal(nn.Linear(2, 3), 'w')", "p.orthogonal(nn.Linear(2, 3), 'bias')",
    "p.orthogonal(nn.Linear(2, 3), orthogonal_map='x')",
    "p.orthogonal(nn.Linear(2, 3, dtype=torch.complex64), orthogonal_map='householder')"])
def test_errors(make):
    found = []
    for lib in (torch, torchlike):
        with pytest.raises(ValueError, match=r".") as caught:
            eval(make, {"p": lib.nn.utils.parametrizations, "nn": lib.nn, "torch": lib})
        found.append(str(caught.value))
    assert found[0] == found[1]
