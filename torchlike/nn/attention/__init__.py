"""`torch.nn.attention`: https://pytorch.org/docs/stable/nn.attention.html

Attention has one implementation here: which of PyTorch's are allowed, and in which order, is kept and reported.

`bias.py` has causal masks that are made when they are needed; `flex_attention.py` is attention whose scores a function
changes, and `_block_mask.py` has its masks. As in PyTorch they are imported by those alone who use them.
"""

import contextlib
import enum

from torchlike.backends._attention import allowed, priority

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(enum.Enum):
    """PyTorch's implementations of `scaled_dot_product_attention`.
    https://pytorch.org/docs/stable/generated/torch.nn.attention.SDPBackend.html"""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self) -> int:
        return self.value


_SWITCHES = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION,
             "mem_efficient": SDPBackend.EFFICIENT_ATTENTION, "math": SDPBackend.MATH,
             "overrideable": SDPBackend.OVERRIDEABLE}


def _cur_sdpa_kernel_backends(with_priority=False) -> list:
    found = [backend for name, backend in _SWITCHES.items() if allowed[name]]
    return sorted(found, key=lambda backend: priority.index(backend.value)) if with_priority else found


def _sdpa_kernel(backends, set_priority=False) -> None:
    for name, backend in _SWITCHES.items():
        allowed[name] = backend in backends
    if set_priority:
        first = [backend.value for backend in backends]
        priority[:] = [*first, *(value for value in priority if value not in first)]


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """A block in which only these implementations of attention are allowed. Nothing depends on it here: XLA has one.
    https://pytorch.org/docs/stable/generated/torch.nn.attention.sdpa_kernel.html

    Args:
        backends: an `SDPBackend` or a list of them.
        set_priority: whether the list is also the order of preference.

    Returns:
        a context manager.

    Raises:
        AssertionError: `backends` is something else.
    """
    if not isinstance(backends, list | SDPBackend):
        raise AssertionError("Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
                             f"{type(backends).__name__}")
    before = _cur_sdpa_kernel_backends(set_priority)
    _sdpa_kernel([backends] if isinstance(backends, SDPBackend) else [*dict.fromkeys(backends)], set_priority)
    try:
        yield {}
    finally:
        _sdpa_kernel(before, set_priority)
