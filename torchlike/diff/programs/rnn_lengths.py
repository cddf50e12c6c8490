"""A recurrent cell over sequences of different lengths: the graph's shape follows the data."""
import torch
from torch import nn

torch.manual_seed(0)
cell = nn.Linear(3 + 5, 5)
readout = nn.Linear(5, 1)
sequences = [torch.randn(length, 3) for length in (4, 7, 2, 5)]
total = torch.zeros(())
for sequence in sequences:
    state = torch.zeros(5)
    for frame in sequence:
        state = torch.tanh(cell(torch.cat([frame, state])))
        if state.sum() > 1.5:  # control flow that depends on values
            state = state * 0.5
    total = total + (readout(state) - sequence.mean()).pow(2).sum()
total.backward()
print(f"total {total.item():.4f}")
