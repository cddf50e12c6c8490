"""A recurrent cell over sequences of different lengths: the graph's shape follows the data."""
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, features, width):
        super().__init__()
        self.update = nn.Linear(features + width, width)
        self.gate = nn.Linear(features + width, width)
        self.width = width

    def forward(self, sequence):
        state = torch.zeros(self.width)
        for frame in sequence:
            seen = torch.cat([frame, state])
            gate = torch.sigmoid(self.gate(seen))
            state = gate * state + (1 - gate) * torch.tanh(self.update(seen))
            if state.norm() > 0.9:  # control flow that depends on values
                state = state * 0.5
        return state


torch.manual_seed(0)
cell, readout = Cell(3, 5), nn.Linear(5, 1)
parameters = [*cell.parameters(), *readout.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.1)
sequences = [torch.randn(length, 3) for length in (4, 7, 2, 5)]
for step in range(3):
    optimizer.zero_grad()
    total = torch.zeros(())
    for sequence in sequences:
        total = total + (readout(cell(sequence)) - sequence.mean()).pow(2).sum()
    total.backward()
    optimizer.step()
    print(f"step {step}: {total.item():.4f}")
