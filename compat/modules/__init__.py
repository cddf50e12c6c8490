"""PyTorch's module database (`ModuleInfo`) under torch and torchlike: see `compat.modules.exam`."""
