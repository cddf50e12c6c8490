"""The order in which hooks on saved tensors are called, against torch: operands by name, then results by name."""

import pytest
import torch

import torchlike

PROGRAMS = (
    "a * b", "a / b.abs()", "torch.hypot(a, b)", "torch.lerp(a, b, c)", "torch.clamp(a, b, c)", "a @ b", "torch.atan2(a, b)",
    "a.gather(0, torch.zeros(2, 3).long())", "torch.linalg.svd(a, full_matrices=False)[0]", "torch.aminmax(a)[0]",
    "torch.linalg.eigh(a @ a.mT + torch.eye(3))[1]", "torch.native_layer_norm(a, [3], b[0], c[0], 1e-5)[0]",
    "F.scaled_dot_product_attention(a[None], b[None], c[None])", "F.softsign(a)", "F.rms_norm(a, (3,), b[0])",
    "torch.logaddexp(a, b) * torch.xlogy(a.abs(), b.abs())", "a ** b.abs()", "torch.dist(a, b)",
)


def calls(library, program):
    """What the hooks see, by its sum, in order."""
    seen = []
    draw = torch.Generator().manual_seed(0)
    a, b, c = (library.tensor(torch.rand(3, 3, generator=draw).tolist(), requires_grad=True) for _ in range(3))

    def note(what):
        def hook(x):
            seen.append((what, tuple(x.shape), round(float(x.detach().double().abs().sum()), 3)))
            return x
        return hook

    with library.autograd.graph.saved_tensors_hooks(note("pack"), note("unpack")):
        found = eval(program, {"a": a, "b": b, "c": c, "torch": library, "F": library.nn.functional})
    found.sum().backward()
    return seen


@pytest.mark.parametrize("program", PROGRAMS)
def test_order(program):
    assert calls(torchlike, program) == calls(torch, program)
