"""MAML on sine waves: five steps of gradient descent on each of four tasks, and the gradient of what they lead to."""

import itertools

TITLE = "MAML, 4 tasks x 5 inner steps, MLP 1-40-40-1, Adam"
WIDTHS = (1, 40, 40, 1)
TASKS, SHOTS, INNER_STEPS, INNER_RATE = 4, 10, 5, 0.01


def make_step(torch, wrap):
    """One step of the program in PyTorch's API; `wrap` compiles what a user would compile. Its result is the mean loss of
    the tasks after their inner steps."""
    torch.manual_seed(0)
    parameters = []
    for wide, narrow in itertools.pairwise(WIDTHS):
        parameters += [torch.randn(narrow, wide) / wide ** 0.5, torch.zeros(narrow)]
    for p in parameters:
        p.requires_grad_()
    optimizer = torch.optim.Adam(parameters, lr=1e-3)
    inputs = torch.rand(TASKS, 2, SHOTS, 1) * 10 - 5
    waves = torch.sin(inputs + torch.rand(TASKS, 1, 1, 1)) * (torch.rand(TASKS, 1, 1, 1) + 0.5)

    def loss_of(parameters, x, y):
        for weight, bias in zip(parameters[:-2:2], parameters[1:-2:2], strict=True):
            x = torch.nn.functional.linear(x, weight, bias).relu()
        return torch.nn.functional.mse_loss(torch.nn.functional.linear(x, *parameters[-2:]), y)

    loss_of = wrap(loss_of)

    def adapted(x, y):
        fast = parameters
        for _ in range(INNER_STEPS):
            grads = torch.autograd.grad(loss_of(fast, x, y), fast, create_graph=True)
            fast = [p - INNER_RATE * g for p, g in zip(fast, grads, strict=True)]
        return fast

    def step():
        optimizer.zero_grad()
        losses = [loss_of(adapted(x[0], y[0]), x[1], y[1]) for x, y in zip(inputs, waves, strict=True)]
        loss = torch.stack(losses).mean()
        loss.backward()
        optimizer.step()
        return loss

    return step
