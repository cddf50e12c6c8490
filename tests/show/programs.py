"""Programs of the tests, as files."""

import pathlib

SMALL = """import torch

x = torch.tensor([1.0, 4.0], requires_grad=True)
unused = torch.ones(2, requires_grad=True)
y = x.sqrt() * x
print("before")
y.sum().backward()
print("after", x.grad)
"""

TRAINING = """import torch
from torch import nn

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return x + torch.relu(self.linear(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(*[Block() for _ in range(4)])
        self.last = nn.Linear(4, 1)

    def forward(self, x):
        return self.last(self.blocks(x))


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
x = torch.randn(8, 4)
for _ in range(2):
    optimizer.zero_grad()
    loss = (net(x) ** 2).mean()
    loss.backward()
    optimizer.step()
print("done")
"""

# The same to the last bit wherever it runs.
EXACT = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.last = nn.Linear(2, 1, bias=False)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))


net = Net()
torch.nn.utils.vector_to_parameters(torch.arange(8.0) / 4, net.parameters())
optimizer = torch.optim.SGD(net.parameters(), lr=0.25)
x = torch.tensor([[1.0, 2.0], [-4.0, 1.0]])
loss = net(x).sum() ** 2
print("loss", loss.item())
loss.backward()
optimizer.step()
print("step done")
"""

NAN = """import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, x.sqrt(), x)
y.sum().backward()
"""

FAILING = """import torch

x = torch.ones(2, requires_grad=True)
y = x * 2
y.backward()
"""


def written(folder: pathlib.Path, text: str, name: str = "program.py") -> str:
    """The path of a file with the text."""
    target = folder / name
    target.write_text(text)
    return str(target)
