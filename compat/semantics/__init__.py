"""What PyTorch's autograd promises, as small programs that run under real torch and under torchlike."""
