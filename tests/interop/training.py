"""A training loop of torchlike's, for the twins of flax."""

import torchlike as torch


def losses_of(module, optimizer, x, y, steps) -> list:
    """The losses of `steps` steps on numpy's x and y."""
    x, y = torch.tensor(x), torch.tensor(y)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ((module(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
