"""Gradients of small batches add up to the gradient of the large one."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 3)
inputs, targets = torch.randn(32, 6), torch.randint(0, 3, (32,))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

whole = torch.autograd.grad(nn.functional.cross_entropy(model(inputs), targets), list(model.parameters()))
for epoch in range(3):
    optimizer.zero_grad()
    for start in range(0, 32, 8):
        part = slice(start, start + 8)
        loss = nn.functional.cross_entropy(model(inputs[part]), targets[part]) / 4
        loss.backward()
    if epoch == 0:
        pairs = zip(model.parameters(), whole, strict=True)
        print("same as the whole batch:", all((p.grad - g).abs().max() < 1e-6 for p, g in pairs))
    optimizer.step()
