"""Random numbers: PyTorch's own stream (MT19937) on the CPU, JAX's on a GPU, and the generators that users hold."""
