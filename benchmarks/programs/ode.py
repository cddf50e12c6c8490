"""A training step of a neural ODE: an adaptive Runge-Kutta method, differentiated through its steps.

Whether a step of the method is taken, and how long the next one is, depends on the error of this one, which is read. The
learning rate is so small that a training step takes five of them however long an engine warms up: as the model learns, they
become several times as many.
"""

TITLE = "neural ODE 64x2, MLP 2-50-2, adaptive Bogacki-Shampine, Adam"
BATCH, WIDTH, TOLERANCE = 64, 50, 1e-5


def integrate(torch, f, y, end):
    """y(end) of y' = f(y), by the method of Bogacki and Shampine; an error is read for each of its steps."""
    time, length, slope = 0.0, end / 10, f(y)
    while time < end:
        length = min(length, end - time)
        second = f(y + length / 2 * slope)
        third = f(y + 3 / 4 * length * second)
        new = y + length * (2 / 9 * slope + 1 / 3 * second + 4 / 9 * third)
        last = f(new)
        error = length * (-5 / 72 * slope + 1 / 12 * second + 1 / 9 * third - 1 / 8 * last)
        scaled = (error.detach() / (TOLERANCE * (1 + new.detach().abs()))).square().mean().sqrt().item()
        if scaled <= 1:
            time, y, slope = time + length, new, last
        length *= min(5.0, max(0.2, 0.9 * max(scaled, 1e-6) ** (-1 / 3)))
    return y


def make_step(torch, wrap):
    """One step of the program in PyTorch's API; `wrap` compiles what a user would compile. Its result is the loss."""
    nn = torch.nn
    torch.manual_seed(0)
    model = wrap(nn.Sequential(nn.Linear(2, WIDTH), nn.Tanh(), nn.Linear(WIDTH, 2)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-8)
    start = torch.randn(BATCH, 2)
    target = torch.stack([start[:, 1], -start[:, 0]], 1)

    def step():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(integrate(torch, model, start, 2.0), target)
        loss.backward()
        optimizer.step()
        return loss

    return step
