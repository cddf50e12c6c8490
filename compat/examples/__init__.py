"""The examples in PyTorch's docstrings, under torch and torchlike."""
