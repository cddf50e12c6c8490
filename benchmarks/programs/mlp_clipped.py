"""The MLP with Adam as many scripts train it: each loss is read before the backward pass, and the gradients are clipped."""

from benchmarks.programs import mlp

TITLE = "the MLP with Adam, loss.item() before backward, clip_grad_norm_"


def make_step(torch, wrap):
    """One step of the program in PyTorch's API; `wrap` compiles what a user would compile. Its result is the loss."""
    model, inputs, targets = mlp.torch_model(torch, wrap)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    total = [0.0]

    def step():
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs), targets)
        total[0] += loss.item()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss

    return step
