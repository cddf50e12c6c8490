"""`torch.cpu`: https://pytorch.org/docs/stable/cpu.html"""

from torchlike._trace import trace as _trace
from torchlike.cpu import amp as amp


def is_available() -> bool:
    """True. https://pytorch.org/docs/stable/generated/torch.cpu.is_available.html"""
    return True


def is_initialized() -> bool:
    """True. https://pytorch.org/docs/stable/cpu.html"""
    return True


def synchronize(device=None) -> None:
    """Run what is recorded. https://pytorch.org/docs/stable/generated/torch.cpu.synchronize.html"""
    _trace.run(_trace.state.trace)


def current_device() -> str:
    """"cpu". https://pytorch.org/docs/stable/generated/torch.cpu.current_device.html"""
    return "cpu"


def device_count() -> int:
    """1. https://pytorch.org/docs/stable/generated/torch.cpu.device_count.html"""
    return 1


def set_device(device) -> None:
    """Accepted. https://pytorch.org/docs/stable/generated/torch.cpu.set_device.html"""
