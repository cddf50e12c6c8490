"""LoRA: low-rank updates are trained, the base weights are frozen."""
import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, base, rank=2, scale=2.0):
        super().__init__()
        self.base, self.scale = base, scale
        for parameter in base.parameters():
            parameter.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, base.in_features) * 0.1)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.down.t() @ self.up.t())


torch.manual_seed(0)
model = nn.Sequential(LoRALinear(nn.Linear(6, 12)), nn.ReLU(), LoRALinear(nn.Linear(12, 3)))
trained = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.AdamW(trained, lr=5e-2)
inputs, targets = torch.randn(24, 6), torch.randint(0, 3, (24,))
for _ in range(5):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
frozen = [name for name, p in model.named_parameters() if p.grad is None]
print(f"loss {loss.item():.4f}; frozen: {frozen}")
