"""The names and signatures of PyTorch's public modules, compared with torchlike's."""
