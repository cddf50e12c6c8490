"""A full training step of a 3-layer MLP, 32x64-128-128-10, with Adam: small enough that overhead decides."""

import itertools

from benchmarks.programs.training import classifier_step

TITLE = "3-layer MLP 32x64-128-128-10, Adam"
WIDTHS = (64, 128, 128, 10)


def torch_model(torch, wrap):
    """(model, inputs, targets)."""
    nn = torch.nn
    torch.manual_seed(0)
    layers = []
    for wide, narrow in itertools.pairwise(WIDTHS):
        layers += [nn.Linear(wide, narrow), nn.ReLU()]
    return wrap(nn.Sequential(*layers[:-1])), torch.randn(32, 64), torch.randint(0, 10, (32,))


def make_step(torch, wrap):
    """One step of the program in PyTorch's API; `wrap` compiles what a user would compile. Its result is the loss."""
    model, inputs, targets = torch_model(torch, wrap)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    return classifier_step(torch, model, optimizer, inputs, targets)
