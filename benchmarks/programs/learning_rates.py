"""The MLP with SGD, each step with another learning rate: a changing number must not mean a new compile."""

import itertools

from benchmarks.programs import mlp
from benchmarks.programs.training import classifier_step

TITLE = "100 learning rates, the MLP with SGD"
SWEEP = 100  # steps, each with a rate never used before


def rates():
    """Learning rates that never repeat."""
    return (0.1 / (1 + i / SWEEP) for i in itertools.count())


def make_step(torch, wrap):
    """One step of the program in PyTorch's API; `wrap` compiles what a user would compile. Its result is the loss."""
    model, inputs, targets = mlp.torch_model(torch, wrap)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rate = rates()
    train = classifier_step(torch, model, optimizer, inputs, targets)

    def step():
        optimizer.param_groups[0]["lr"] = next(rate)
        return train()

    return step
