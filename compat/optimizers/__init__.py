"""PyTorch's optimizer database (`OptimizerInfo`) under torch and torchlike: see `compat.optimizers.exam`."""
