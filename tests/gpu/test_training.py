"""Loops on a GPU, cold and hot: the same losses as on the CPU, no memory that grows, buffers that are given away."""

import copy
import gc

import pytest

import torchlike as torch
from tests.gpu import ON_A_GPU
from torchlike.utils.checkpoint import checkpoint

pytestmark = ON_A_GPU
STEPS = 30


def convolutional():
    nn = torch.nn
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(8 * 16, 4))


def losses(device, optimizer_of):
    torch.manual_seed(0)
    model = convolutional().to(device)
    optimizer = optimizer_of(model.parameters())
    images, targets = torch.randn(8, 3, 8, 8).to(device), torch.randint(0, 4, (8,)).to(device)
    found = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(images), targets)
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found, {p.device.type for p in [*model.parameters(), *model.buffers()]}


@pytest.mark.parametrize("optimizer_of", [
    lambda p: torch.optim.SGD(p, 0.01, momentum=0.9), lambda p: torch.optim.AdamW(p, 1e-3)], ids=["sgd", "adamw"])
def test_losses_are_those_of_the_cpu(optimizer_of):
    torch.backends.cudnn.allow_tf32 = False
    try:
        (there, where), (here, _) = losses("cuda", optimizer_of), losses("cpu", optimizer_of)
    finally:
        torch.backends.cudnn.allow_tf32 = True
    assert where == {"cuda"}
    assert there == pytest.approx(here, rel=2e-3)


def test_memory_does_not_grow():
    layer = torch.nn.Linear(256, 256, device="cuda")
    optimizer = torch.optim.Adam(layer.parameters())
    x = torch.ones(64, 256, device="cuda")

    def steps(count):
        for _ in range(count):
            optimizer.zero_grad()
            layer(x).square().mean().backward()
            optimizer.step()
        gc.collect()
        return torch.cuda.memory_allocated()

    before = steps(STEPS)
    assert steps(STEPS) <= before + x.nbytes


def test_what_somebody_holds_survives_donation():
    w = torch.ones(1000, device="cuda")
    held, expected = [], []
    for i in range(STEPS):
        if i % 7 == 0:
            held.append(w.clone() if i % 2 else w.view(10, 100).sum(0))
            expected.append(float(2 ** min(i, 20)) * (1 if i % 2 else 10))
        w.mul_(2.0 if i < 20 else 1.0)
        w.sum().item()
    assert [x[0].item() for x in held] == expected and w[0].item() == 2.0 ** 20


def test_a_copy_of_a_model_is_its_own():
    model = torch.nn.Linear(4, 4, device="cuda")
    before = copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(STEPS):
        optimizer.zero_grad()
        model(torch.ones(1, 4, device="cuda")).sum().backward()
        optimizer.step()
    assert torch.allclose(before.bias - model.bias, torch.full((4,), 0.1 * STEPS, device="cuda"), rtol=1e-4)
    assert before.weight.device == model.weight.device


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpoint(reentrant):
    torch.manual_seed(0)
    block = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.Dropout(0.5), torch.nn.Tanh()).to("cuda")
    x = torch.randn(16, 32, device="cuda", requires_grad=True)

    def gradients(run):
        torch.manual_seed(1)
        block.zero_grad()
        x.grad = None
        out = run(x)
        out.sum().backward()
        return [out.detach(), x.grad, *(p.grad for p in block.parameters())]

    plain, recomputed = gradients(block), gradients(lambda x: checkpoint(block, x, use_reentrant=reentrant))
    assert all(torch.allclose(a, b, rtol=1e-4, atol=1e-5) for a, b in zip(plain, recomputed, strict=True))


def test_transforms():
    weight = torch.randn(5, 5, device="cuda")
    gradient = torch.func.vmap(torch.func.grad(lambda x: (x @ weight).tanh().sum()))(torch.ones(3, 5, device="cuda"))
    assert gradient.device.type == "cuda" and gradient.shape == (3, 5) and gradient[0].equal(gradient[2])
