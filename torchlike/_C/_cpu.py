"""`torch._C._cpu`: what the processor can do."""

from torchlike.cpu import get_capabilities as _get_cpu_capability  # noqa: F401 - a name that packages ask for
