"""Device 'meta': everything has its shape, dtype and strides, nothing is computed, no memory is used. Against PyTorch."""

import pytest
import torch

import torchlike

CALLS = (
    "torch.tensor([1.], device='meta')", "torch.ones(2).to('meta')", "torch.ones(2, device='meta').to('cpu')",
    "torch.empty(3, device='meta').cpu()", "torch.scalar_tensor(2., device='meta')",
    "torch.as_tensor([1, 2], device='meta')",
    "nn.Linear(2, 3).to('meta').weight", "nn.Linear(2, 3, device='meta')(torch.ones(1, 2, device='meta')).shape",
    "nn.Linear(2, 3, device='meta').to_empty(device='cpu').weight.shape", "torch.empty(3, device='meta').item()",
    "nn.Embedding(3, 4, device='meta')(torch.tensor([0], device='meta')).shape", "torch.empty(3, device='meta').tolist()",
    "nn.init.normal_(torch.empty(2, device='meta'))", "torch.ones(2).copy_(torch.ones(2, device='meta'))",
    "torch.ones(2, device='meta').copy_(torch.ones(2))", "torch.ones(2, device='meta') + torch.tensor(2.)",
    "(lambda x: (x.pow(2).sum().backward(), x.grad))(torch.ones(2, device='meta', requires_grad=True))",
    "torch.cat([torch.ones(2, device='meta'), torch.ones(3, device='meta')])", "torch.ones(2**40, device='meta') * 2",
    "torch.ones(2, 3, device='meta').t().contiguous().stride()",
    "torch.zeros_like(torch.ones(2, device='meta'), device='cpu')",
    "torch.ones(2, device='meta').type_as(torch.ones(1))", "nn.Parameter(torch.ones(2, device='meta'))",
    "torch.ones(3, device='meta')[1:].add_(2)", "torch.ones(2, device='meta').to(torch.float16)",
    "nn.functional.conv2d(torch.ones(1, 3, 8, 8, device='meta'), torch.ones(4, 3, 3, 3, device='meta')).shape")


def said(library, text: str) -> str:
    try:
        return repr(eval(text, {"torch": library, "nn": library.nn}))
    except (NotImplementedError, RuntimeError, TypeError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("text", CALLS)
def test_call(text):
    assert said(torchlike, text) == said(torch, text)


@pytest.mark.parametrize("tier", ["off", "background", "now", "kernels"])
def test_no_tier_computes(tier):
    before = torchlike.counters()
    with torchlike.configure(compile=tier, hot=1, patience=0):
        for _ in range(4):
            x = torchlike.ones(3, device="meta", requires_grad=True)
            (x * 2).sum().backward()
            assert x.grad.shape == (3,) and (torchlike.ones(2) + 1).tolist() == [2.0, 2.0]
    assert torchlike.counters()["program_failures"] == before["program_failures"]


def test_an_index_on_meta_is_not_checked_later():
    torchlike.nn.Embedding(3, 4, device="meta")(torchlike.tensor([7], device="meta"))
    assert torchlike.ones(1).item() == 1.0
