"""Modules and training under autocast."""

import functools

import pytest
import torch

from tests.amp.making import check, module, tensor
from tests.speed import sampled

MODULES = {
    "linear": (lambda nn: nn.Linear(4, 3), (5, 4)),
    "linear-batched": (lambda nn: nn.Linear(4, 3), (2, 5, 4)),
    "bilinear": (lambda nn: nn.Bilinear(4, 4, 3), (5, 4), (5, 4)),
    "conv1d": (lambda nn: nn.Conv1d(4, 3, 2), (2, 4, 5)),
    "conv2d": (lambda nn: nn.Conv2d(2, 3, 3, padding="same"), (2, 2, 5, 5)),
    "conv3d": (lambda nn: nn.Conv3d(2, 3, 2), (2, 2, 3, 3, 3)),
    "conv-transpose": (lambda nn: nn.ConvTranspose2d(2, 3, 3), (2, 2, 4, 4)),
    "mlp": (lambda nn: nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 2)), (5, 4)),
    "norms": (lambda nn: nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.GroupNorm(2, 4), nn.GELU()), (2, 2, 5, 5)),
    "softmax": (lambda nn: nn.Sequential(nn.Linear(4, 4), nn.Softmax(-1)), (5, 4)),
    "rnn": (lambda nn: nn.RNN(4, 3), (5, 2, 4)),
    "lstm": (lambda nn: nn.LSTM(4, 3, 2), (5, 2, 4)),
    "lstm-both-ways": (lambda nn: nn.LSTM(4, 3, bidirectional=True, batch_first=True), (2, 5, 4)),
    "lstm-projected": (lambda nn: nn.LSTM(4, 3, proj_size=2), (5, 2, 4)),
    "gru": (lambda nn: nn.GRU(4, 3), (5, 2, 4)),
    "lstm-cell": (lambda nn: nn.LSTMCell(4, 3), (2, 4)),
    "gru-cell": (lambda nn: nn.GRUCell(4, 3), (2, 4)),
    "attention": (lambda nn: nn.MultiheadAttention(4, 2, batch_first=True), (2, 5, 4), (2, 5, 4), (2, 5, 4)),
    "encoder": (lambda nn: nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True), (2, 5, 4)),
    "decoder": (lambda nn: nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0), (2, 5, 4), (3, 5, 4)),
    "prelu": (lambda nn: nn.Sequential(nn.Linear(4, 4), nn.PReLU()), (5, 4)),
    "pool3d": (lambda nn: nn.Sequential(nn.Conv3d(1, 2, 2), nn.AvgPool3d(2), nn.AdaptiveMaxPool3d(1)), (1, 1, 4, 4, 4)),
    "pads": (lambda nn: nn.Sequential(nn.Conv2d(2, 2, 2), nn.ReflectionPad2d(1), nn.CircularPad2d(1)), (1, 2, 4, 4)),
}


def first_tensors(value):
    if isinstance(value, list | tuple):
        return [x for v in value for x in first_tensors(v)]
    return [] if value is None else [value]


@functools.cache
def has_lstm(dtype) -> bool:
    """Whether PyTorch can run an LSTM under autocast to this dtype here."""
    try:
        with torch.autocast("cpu", dtype):
            torch.nn.LSTM(4, 3)(torch.ones(5, 2, 4))
    except RuntimeError as error:
        assert "could not create a primitive" in str(error)  # noqa: PT017 - any other error is one
        return False
    return True


# Every tenth is fast in bfloat16; CI has every sixth in float16.
@pytest.mark.parametrize(("dtype", "name"), sampled(
    ("bfloat16", "float16"), MODULES, fast=lambda k, i: not k and i % 10 == 0, ci=lambda k, i: not k or i % 6 == 0))
def test_modules(name, dtype):
    make, *shapes = MODULES[name]
    if dtype == "float16" and name in ("lstm", "lstm-both-ways"):
        pytest.skip("oneDNN has no such layer for every processor")
    if name in ("lstm", "lstm-both-ways") and not has_lstm(getattr(torch, dtype)):
        pytest.skip("oneDNN has no such layer for this processor: PyTorch itself raises")

    def program(torch):
        layer = module(torch, make)
        inputs = [tensor(torch, *shape, seed=50 + i, grad=True) for i, shape in enumerate(shapes)]
        with torch.autocast("cpu", getattr(torch, dtype)):
            outputs = first_tensors(layer(*inputs))
        sum(x.float().square().sum() for x in outputs if x.requires_grad).backward()
        return [x.detach() for x in outputs], [p.grad for p in layer.parameters()], [x.grad for x in inputs]

    check(program)


@pytest.mark.parametrize("name", ["linear", "lstm", "encoder", "attention"])
def test_without_gradients(name):
    make, *shapes = MODULES[name]

    def program(torch):
        layer = module(torch, make).eval()
        inputs = [tensor(torch, *shape, seed=50 + i) for i, shape in enumerate(shapes)]
        with torch.no_grad(), torch.autocast("cpu"):
            return [x.float() for x in first_tensors(layer(*inputs))]

    check(program)


LOSSES = {
    "cross_entropy": lambda f, x, y, t: f.cross_entropy(x, t),
    "smoothed": lambda f, x, y, t: f.cross_entropy(x, t, label_smoothing=0.1),
    "probabilities": lambda f, x, y, t: f.cross_entropy(x, y.softmax(-1)),
    "nll": lambda f, x, y, t: f.nll_loss(x.log_softmax(-1), t),
    "mse": lambda f, x, y, t: f.mse_loss(x, y),
    "l1": lambda f, x, y, t: f.l1_loss(x, y),
    "smooth_l1": lambda f, x, y, t: f.smooth_l1_loss(x, y),
    "huber": lambda f, x, y, t: f.huber_loss(x, y),
    "bce": lambda f, x, y, t: f.binary_cross_entropy(x.sigmoid(), y.sigmoid().detach()),
    "bce_logits": lambda f, x, y, t: f.binary_cross_entropy_with_logits(x, y.sigmoid()),
    "kl": lambda f, x, y, t: f.kl_div(x.log_softmax(-1), y.softmax(-1), reduction="batchmean"),
    "poisson": lambda f, x, y, t: f.poisson_nll_loss(x, y.exp()),
    "gaussian": lambda f, x, y, t: f.gaussian_nll_loss(x, y, y.exp()),
    "hinge": lambda f, x, y, t: f.hinge_embedding_loss(x, y.sign()),
    "margin": lambda f, x, y, t: f.margin_ranking_loss(x, y, y.sign()),
    "multi_margin": lambda f, x, y, t: f.multi_margin_loss(x, t),
    "multilabel_margin": lambda f, x, y, t: f.multilabel_margin_loss(x[:4], (t[:4, None] + t[None, :4]) % 4),
    "multilabel_soft": lambda f, x, y, t: f.multilabel_soft_margin_loss(x, y.sigmoid()),
    "soft_margin": lambda f, x, y, t: f.soft_margin_loss(x, y.sign()),
    "cosine": lambda f, x, y, t: f.cosine_embedding_loss(x, y, (t % 2) * 2 - 1),
    "triplet": lambda f, x, y, t: f.triplet_margin_loss(x, y, x.flip(0)),
    "similarity": lambda f, x, y, t: f.cosine_similarity(x, y).sum(),
    "distance": lambda f, x, y, t: f.pairwise_distance(x, y).sum(),
}


@pytest.mark.parametrize("name", sampled(LOSSES, fast=3))
def test_losses(name):
    def program(torch):
        layer = module(torch, lambda nn: nn.Linear(4, 4))
        with torch.autocast("cpu"):
            x = layer(tensor(torch, 5, 4, seed=7))
            loss = LOSSES[name](torch.nn.functional, x, tensor(torch, 5, 4, seed=8), torch.tensor([0, 1, 2, 3, 1]))
        loss.backward()
        return x.detach(), loss.detach(), [p.grad for p in layer.parameters()]

    check(program)


def test_training():
    def program(torch):
        model = module(torch, MODULES["mlp"][0])
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        x, target, losses = tensor(torch, 16, 4, seed=1), torch.tensor([0, 1] * 8), []
        for _ in range(8):
            optimizer.zero_grad()
            with torch.autocast("cpu"):
                loss = torch.nn.functional.cross_entropy(model(x), target)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        return losses, [str(p.dtype) for p in model.parameters()]

    check(program)


@pytest.mark.slow
def test_a_whole_step_inside():
    """Backward and the optimizer inside the region, as it should not be done."""
    def program(torch):
        model = module(torch, MODULES["mlp"][0])
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        x, target, losses = tensor(torch, 16, 4, seed=1), torch.tensor([0, 1] * 8), []
        with torch.autocast("cpu"):
            for _ in range(5):
                optimizer.zero_grad()
                loss = torch.nn.functional.cross_entropy(model(x), target)
                loss.backward()
                optimizer.step()
                losses.append(loss.detach())
        return losses

    check(program)
