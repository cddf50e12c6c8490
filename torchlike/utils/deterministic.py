"""`torch.utils.deterministic`: https://pytorch.org/docs/stable/deterministic.html"""

fill_uninitialized_memory = True  # without effect: XLA leaves no memory without a value
