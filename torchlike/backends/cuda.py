"""`torch.backends.cuda`. Attention has one implementation here: which of PyTorch's are allowed is kept and reported.

What it says of NVIDIA's libraries is in `_cuda_libraries.py`.
"""

import contextlib
import warnings
from typing import NamedTuple

from torchlike.backends import _attention
from torchlike.backends._cuda_libraries import blas_workspace_size as blas_workspace_size
from torchlike.backends._cuda_libraries import cublas_workspace_size as cublas_workspace_size
from torchlike.backends._cuda_libraries import cublaslt_workspace_size as cublaslt_workspace_size
from torchlike.backends._cuda_libraries import cuBLASModule as cuBLASModule
from torchlike.backends._cuda_libraries import cuFFTPlanCache as cuFFTPlanCache
from torchlike.backends._cuda_libraries import cuFFTPlanCacheAttrContextProp as cuFFTPlanCacheAttrContextProp
from torchlike.backends._cuda_libraries import cuFFTPlanCacheManager as cuFFTPlanCacheManager
from torchlike.backends._cuda_libraries import preferred_blas_library as preferred_blas_library
from torchlike.backends._cuda_libraries import preferred_linalg_library as preferred_linalg_library
from torchlike.backends._cuda_libraries import preferred_rocm_fa_library as preferred_rocm_fa_library

matmul = cuBLASModule()
cufft_plan_cache = cuFFTPlanCacheManager()


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


class SDPAParams(NamedTuple):
    """A call of attention, for the questions below. PyTorch's takes its values by position only.
    https://pytorch.org/docs/stable/backends.html#torch.backends.cuda.SDPAParams

    Args:
        query, key, value: tensors.
        attn_mask: a tensor or None.
        dropout: a probability.
        is_causal, enable_gqa: as of `torch.nn.functional.scaled_dot_product_attention`.
    """

    query: object
    key: object
    value: object
    attn_mask: object
    dropout: float
    is_causal: bool
    enable_gqa: bool


def is_flash_attention_available() -> bool:
    """False: attention has one implementation."""
    return False


def is_ck_sdpa_available() -> bool:
    """False: attention has one implementation."""
    return False


def can_use_flash_attention(params: SDPAParams, debug: bool = False) -> bool:
    """False: attention has one implementation.
    https://pytorch.org/docs/stable/backends.html#torch.backends.cuda.can_use_flash_attention

    Args:
        params: a call.
        debug: without effect.

    Returns:
        False.
    """
    return False


def can_use_efficient_attention(params: SDPAParams, debug: bool = False) -> bool:
    """False: attention has one implementation.
    https://pytorch.org/docs/stable/backends.html#torch.backends.cuda.can_use_efficient_attention

    Args:
        params, debug: as for `can_use_flash_attention`.

    Returns:
        False.
    """
    return False


def can_use_cudnn_attention(params: SDPAParams, debug: bool = False) -> bool:
    """False: attention has one implementation.

    Args:
        params, debug: as for `can_use_flash_attention`.

    Returns:
        False.
    """
    return False


@contextlib.contextmanager
def _only(flash, math, mem_efficient, cudnn):
    before = dict(_attention.allowed)
    _attention.allowed.update(flash=flash, math=math, mem_efficient=mem_efficient, cudnn=cudnn, overrideable=False)
    try:
        yield {}
    finally:
        _attention.allowed.update(before)


def sdp_kernel(enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True,
               enable_cudnn: bool = True):
    """The older form of `torch.nn.attention.sdpa_kernel`, which warns: a block in which these implementations of attention
    are allowed.
    https://pytorch.org/docs/stable/backends.html#torch.backends.cuda.sdp_kernel

    Args:
        enable_flash, enable_math, enable_mem_efficient, enable_cudnn: which.

    Returns:
        a context manager, also for decoration.
    """
    warnings.warn("`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. "
                  "Please see `torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
                  FutureWarning, stacklevel=2)
    return _only(bool(enable_flash), bool(enable_math), bool(enable_mem_efficient), bool(enable_cudnn))
