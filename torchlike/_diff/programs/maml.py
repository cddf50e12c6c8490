"""MAML: the gradient of a loss after an inner gradient step (second order)."""
import torch

torch.manual_seed(0)
w1 = (torch.randn(1, 8, dtype=torch.float64) * 0.5).requires_grad_()
b1 = torch.zeros(8, dtype=torch.float64, requires_grad=True)
w2 = (torch.randn(8, 1, dtype=torch.float64) * 0.5).requires_grad_()
parameters = [w1, b1, w2]


def predict(x, p):
    return torch.tanh(x @ p[0] + p[1]) @ p[2]


def task(amplitude, phase):
    x = torch.linspace(-3, 3, 12, dtype=torch.float64).unsqueeze(1)
    return x, amplitude * torch.sin(x + phase)


meta_loss = torch.zeros((), dtype=torch.float64)
for amplitude, phase in ((1.0, 0.0), (0.5, 1.0), (2.0, -0.5)):
    x, y = task(amplitude, phase)
    fast = parameters
    for _ in range(2):
        inner = (predict(x[::2], fast) - y[::2]).pow(2).mean()
        grads = torch.autograd.grad(inner, fast, create_graph=True)
        fast = [p - 0.05 * g for p, g in zip(fast, grads, strict=True)]
    meta_loss = meta_loss + (predict(x[1::2], fast) - y[1::2]).pow(2).mean()
meta_loss.backward()
print(f"meta loss {meta_loss.item():.5f}")
