"""`torch.backends.cuda`. Attention has one implementation here: which of PyTorch's are allowed is kept and reported."""

from torchlike._compile.backends.xla_cuda import PRODUCTS, tf32_allowed
from torchlike.backends import _attention
from torchlike.backends._tf32 import allow


class _Matmul:
    """``torch.backends.cuda.matmul``: `allow_tf32` has an effect, the rest is kept and reported."""

    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True
    allow_fp16_accumulation = False

    def __getattr__(self, name):
        raise AttributeError(f"Unknown attribute {name}")

    @property
    def allow_tf32(self) -> bool:
        """Whether float32 products on a GPU may use TensorFloat32, as `torch.set_float32_matmul_precision` says, too."""
        return tf32_allowed[PRODUCTS]

    @allow_tf32.setter
    def allow_tf32(self, value):
        allow(PRODUCTS, value)


matmul = _Matmul()


def is_built() -> bool:
    """False: torchlike has no kernels of its own for CUDA; JAX has."""
    return False


def enable_flash_sdp(enabled: bool) -> None:
    """Whether flash attention is allowed. Kept and reported: attention has one implementation.
    https://pytorch.org/docs/stable/backends.html#torch.backends.cuda.enable_flash_sdp

    Args:
        enabled: whether it is.
    """
    _attention.allowed["flash"] = bool(enabled)


def flash_sdp_enabled() -> bool:
    """What `enable_flash_sdp` has set."""
    return _attention.allowed["flash"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Whether memory efficient attention is allowed. Kept and reported: attention has one implementation.
    https://pytorch.org/docs/stable/backends.html#torch.backends.cuda.enable_mem_efficient_sdp

    Args:
        enabled: whether it is.
    """
    _attention.allowed["mem_efficient"] = bool(enabled)


def mem_efficient_sdp_enabled() -> bool:
    """What `enable_mem_efficient_sdp` has set."""
    return _attention.allowed["mem_efficient"]


def enable_math_sdp(enabled: bool) -> None:
    """Whether attention by PyTorch's plain operators is allowed. Kept and reported: attention has one implementation.
    https://pytorch.org/docs/stable/backends.html#torch.backends.cuda.enable_math_sdp

    Args:
        enabled: whether it is.
    """
    _attention.allowed["math"] = bool(enabled)


def math_sdp_enabled() -> bool:
    """What `enable_math_sdp` has set."""
    return _attention.allowed["math"]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Whether cuDNN's attention is allowed. Kept and reported: attention has one implementation.
    https://pytorch.org/docs/stable/backends.html#torch.backends.cuda.enable_cudnn_sdp

    Args:
        enabled: whether it is.
    """
    _attention.allowed["cudnn"] = bool(enabled)


def cudnn_sdp_enabled() -> bool:
    """What `enable_cudnn_sdp` has set."""
    return _attention.allowed["cudnn"]


def allow_fp16_bf16_reduction_math_sdp(enabled: bool) -> None:
    """Whether attention may sum in half precision. Kept and reported: attention has one implementation.
    https://pytorch.org/docs/stable/backends.html#torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp

    Args:
        enabled: whether it may.
    """
    _attention.allowed["reduction"] = bool(enabled)


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    """What `allow_fp16_bf16_reduction_math_sdp` has set."""
    return _attention.allowed["reduction"]
