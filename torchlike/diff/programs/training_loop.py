"""A training loop with gradient clipping and logging."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
inputs = torch.randn(64, 8)
targets = inputs[:, :1] * 2 - inputs[:, 1:2].sin()
losses, norms = [], []
for step in range(20):
    batch = slice(step % 4 * 16, step % 4 * 16 + 16)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(inputs[batch]), targets[batch])
    loss.backward()
    norms.append(nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.5).item())
    optimizer.step()
    losses.append(loss.item())
    if step % 5 == 0:
        print(f"step {step}: loss {losses[-1]:.4f} norm {norms[-1]:.4f}")
