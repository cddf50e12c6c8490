"""A chain of 100 operations on an 8x8 matrix, forward and backward: the cost of an operation.

The gradient accumulates from step to step, so no engine may leave a step out.
"""

TITLE = "100-operation chain 8x8, forward + backward"
LINKS = 25  # of 4 operations


def make_step(torch, wrap):
    """One step of the program in PyTorch's API; `wrap` compiles what a user would compile. Its result is the gradient."""
    torch.manual_seed(0)
    x = torch.randn(8, 8, requires_grad=True)

    def chain(y):
        for _ in range(LINKS):
            y = torch.tanh(y * 0.9 + 0.1) * y
        return y

    chain = wrap(chain)

    def step():
        chain(x).sum().backward()
        return x.grad

    return step
