"""A training loop with gradient clipping and logging."""
import torch
from torch import nn


def batches(inputs, targets, size):
    for start in range(0, len(inputs), size):
        yield inputs[start:start + size], targets[start:start + size]


def train(model, inputs, targets, epochs=5):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses, norms = [], []
    for epoch in range(epochs):
        for x, y in batches(inputs, targets, 16):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            norms.append(nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.5).item())
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: loss {losses[-1]:.4f} gradient norm {norms[-1]:.4f}")
    return losses, norms


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    inputs = torch.randn(64, 8)
    targets = inputs[:, :1] * 2 - inputs[:, 1:2].sin()
    losses, norms = train(model, inputs, targets)
    model.eval()
    with torch.no_grad():
        final = nn.functional.mse_loss(model(inputs), targets)
    clipped = sum(norm > 0.5 for norm in norms)
    print(f"loss went from {losses[0]:.4f} to {final.item():.4f}; clipped in {clipped} of {len(norms)} steps")


if __name__ == "__main__":
    main()
