"""One GAN step: two losses through two networks, one detached."""
import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
g_step = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
d_step = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.999))
judge = nn.BCEWithLogitsLoss()
real = torch.randn(16, 2) * 0.5 + 1
for _ in range(3):
    fake = generator(torch.randn(16, 4))
    d_step.zero_grad()
    d_loss = judge(critic(real), torch.ones(16, 1)) + judge(critic(fake.detach()), torch.zeros(16, 1))
    d_loss.backward()
    d_step.step()
    g_step.zero_grad()
    g_loss = judge(critic(fake), torch.ones(16, 1))
    g_loss.backward()
    g_step.step()
print(f"critic {d_loss.item():.4f} generator {g_loss.item():.4f}")
