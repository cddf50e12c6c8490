"""`torch.backends.quantized`: there are no quantized tensors, so there is no engine for them."""

__all__ = ["engine", "supported_engines"]
engine = "none"
supported_engines: list = ["none"]
