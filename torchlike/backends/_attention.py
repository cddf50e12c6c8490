"""Which of PyTorch's implementations of attention are allowed, and their order: kept and reported, nothing depends on it."""

allowed = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True, "overrideable": True, "reduction": False}
priority = [1, 2, 0, 3, 4]  # values of `torch.nn.attention.SDPBackend`
