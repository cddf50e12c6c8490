"""The parts of `torch.autograd.Function`."""
