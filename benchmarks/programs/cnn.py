"""A full training step of a small CNN (three convolutions with batch norm, pooled, batch 8 of 3x32x32) with SGD."""

import itertools

from benchmarks.programs.training import classifier_step

TITLE = "3-layer CNN, batch 8 of 3x32x32, SGD"
CHANNELS = (3, 16, 32, 32)


def make_step(torch, wrap):
    """One step of the program in PyTorch's API; `wrap` compiles what a user would compile. Its result is the loss."""
    nn = torch.nn
    torch.manual_seed(0)
    layers = []
    for narrow, wide in itertools.pairwise(CHANNELS):
        layers += [nn.Conv2d(narrow, wide, 3, padding=1), nn.BatchNorm2d(wide), nn.ReLU()]
    model = wrap(nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(CHANNELS[-1], 10)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(8, 3, 32, 32), torch.randint(0, 10, (8,))
    return classifier_step(torch, model, optimizer, inputs, targets)
