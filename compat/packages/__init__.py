"""Packages written for PyTorch, unmodified, under torchlike: `python -m compat.packages`."""
