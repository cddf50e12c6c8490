"""Programs whose sources are tested: each gives a loss."""

import torchlike as torch
from torchlike import nn
from torchlike.nn import functional as F


class Attention(nn.Module):
    """Causal self-attention as it is written by hand."""

    def __init__(self, width, heads, longest):
        super().__init__()
        self.qkv, self.out, self.heads = nn.Linear(width, 3 * width), nn.Linear(width, width), heads
        self.register_buffer("mask", torch.tril(torch.ones(longest, longest)))

    def forward(self, x):
        batch, time, width = x.shape
        q, k, v = (y.view(batch, time, self.heads, -1).transpose(1, 2) for y in self.qkv(x).split(width, dim=2))
        scores = q @ k.transpose(-2, -1) * (width // self.heads) ** -0.5
        scores = scores.masked_fill(self.mask[:time, :time] == 0, float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, time, width))


class Block(nn.Module):
    """A layer of a GPT."""

    def __init__(self, width, heads, longest):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads, longest)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    """A small one."""

    def __init__(self, words=17, width=8, heads=2, depth=3, longest=6):
        super().__init__()
        self.tokens, self.places = nn.Embedding(words, width), nn.Embedding(longest, width)
        self.blocks = nn.Sequential(*(Block(width, heads, longest) for _ in range(depth)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1]))
        return self.head(self.norm(self.blocks(x)))


def gpt():
    """The loss of a GPT."""
    model = GPT()
    tokens = torch.randint(0, 17, (2, 7))
    logits = model(tokens[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()), model


class Residual(nn.Module):
    """A block of a ResNet, in training mode."""

    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(3, channels, 3, stride=2, padding=1, bias=False)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)
        self.shortcut = nn.Conv2d(3, channels, 1, stride=2)
        self.head = nn.Linear(channels, 2)

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out = F.relu(out + self.shortcut(x))
        return self.head(F.max_pool2d(out, 2).mean((2, 3)))


def resnet():
    """The loss of a ResNet block."""
    model = Residual(4)
    images, labels = torch.randn(3, 3, 8, 8), torch.tensor([0, 1, 1])
    return F.cross_entropy(model(images), labels), model


def lstm():
    """The loss of two layers of an LSTM."""
    model = nn.LSTM(3, 4, num_layers=2, batch_first=True)
    series = torch.randn(2, 5, 3)
    outputs, (last, _) = model(series)
    return outputs.square().mean() + last.sum(), model


def lstm_cell():
    """The loss of an LSTM cell in a loop."""
    cell = nn.LSTMCell(3, 4)
    series = torch.randn(6, 2, 3)
    h, c = torch.zeros(2, 4), torch.zeros(2, 4)
    for t in range(6):
        h, c = cell(series[t], (h, c))
    return h.square().sum(), cell


def writes():
    """Views, writes in place, a detached value, numbers as inputs."""
    w = torch.randn(4, 3, requires_grad=True)
    out = torch.zeros(4, 3)
    for i in range(4):
        out[i] = w[i] * (i + 1.5)
    out[:, 0].mul_(w[:, 1])
    y = out.clone()
    y[1:3].add_(w[:2].detach().exp())
    return (y.cumsum(0) * torch.where(y > 0, 1.0, 0.5)).pow(3).mean(), w


MODELS = {made.__name__: made for made in (gpt, resnet, lstm, lstm_cell, writes)}
