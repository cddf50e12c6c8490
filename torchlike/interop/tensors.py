"""Tensors of real PyTorch as torchlike's, and the reverse. torch is the user's: nothing here imports it."""

import sys

import jax

from torchlike._base import dtypes as dt
from torchlike._base.device import CPU
from torchlike._base.errors import UnsupportedError
from torchlike._record.facade import own_work
from torchlike._record.leaf import leaf
from torchlike._record.tensor import LEAF, Tensor
from torchlike.utils.dlpack import from_dlpack

_HISTORY = "{}: can't convert a tensor that has a history, use tensor.detach()"
_NO_TORCH = "to_torch: torch is not imported; torchlike does not import it: `import torch` first"


def from_torch(tensor, *, copy: bool = True) -> Tensor:
    """The values of a tensor of real PyTorch. By https://pytorch.org/docs/stable/dlpack.html

    Args:
        tensor: the tensor. A leaf keeps its `requires_grad`.
        copy: False means that the memory of a CPU tensor is shared, and nobody may write to it from then on.

    Returns:
        A Tensor of the same shape, dtype and device, contiguous.

    Raises:
        TypeError: it is no tensor of torch's.
        RuntimeError: it has a history.
        UnsupportedError: it is sparse, quantized, nested or a meta tensor, or has a dtype that torchlike has not.
        ValueError: with ``copy=False`` it is not contiguous and aligned to 64 bytes.
    """
    _check_source(tensor)
    source = tensor.detach()
    if source.is_conj() or source.is_neg() or not source.is_contiguous():
        if not copy:
            raise ValueError("from_torch: copy=False takes a contiguous tensor without conjugate and negative bits")
        source = source.resolve_conj().resolve_neg().contiguous()
    if copy or not source.is_cpu or not source.numel():
        made = from_dlpack(source, copy=True if copy else None)
    else:
        with own_work():
            array = jax.dlpack.from_dlpack(source, copy=False)
        if array.unsafe_buffer_pointer() != source.data_ptr():  # jax 0.8 copies what is not aligned, and only prints that
            raise ValueError("from_torch: copy=False takes a tensor whose memory is aligned as XLA's: others need a copy")
        made = leaf(array, CPU)
    if tensor.requires_grad:
        made._edge = LEAF
    return made


def _check_source(tensor) -> None:
    is_foreign = any(kind.__module__ == "torch" and kind.__name__ == "Tensor" for kind in type(tensor).__mro__)
    if not is_foreign or isinstance(tensor, Tensor):  # which goes by that name where torchlike is installed
        raise TypeError(f"from_torch(): argument must be a torch.Tensor, not {type(tensor).__name__}")
    layout, dtype = str(tensor.layout), str(tensor.dtype).removeprefix("torch.")
    for is_so, what in ((layout != "torch.strided", f"layout {layout}"), (tensor.is_quantized, "quantized values"),
                        (tensor.is_nested, "nested values"), (tensor.is_meta, "no values, on the meta device"),
                        (dtype not in dt.BY_NAME, f"dtype torch.{dtype}")):
        if is_so:
            raise UnsupportedError(f"from_torch of a tensor with {what}")
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(_HISTORY.format("from_torch"))


def to_torch(tensor: Tensor, *, copy: bool = True):
    """A tensor as one of real PyTorch, which the user has imported. By https://pytorch.org/docs/stable/dlpack.html

    Args:
        tensor: the Tensor. A leaf keeps its `requires_grad`.
        copy: False means that the memory is shared, and nobody may write to it.

    Returns:
        A `torch.Tensor` of the same shape, dtype and device, contiguous.

    Raises:
        TypeError: it is no tensor of torchlike's.
        RuntimeError: it has a history.
        ImportError: torch is not imported.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"to_torch(): argument must be a torchlike.Tensor, not {type(tensor).__name__}")
    torch = sys.modules.get("torch")
    if torch is None or torch.Tensor is Tensor:
        raise ImportError(_NO_TORCH)
    if tensor.grad_fn is not None:
        raise RuntimeError(_HISTORY.format("to_torch"))
    made = torch.from_dlpack(tensor.detach().resolve_conj().__jax_array__())  # its own memory, which stays as it is
    return (made.clone() if copy else made).requires_grad_(tensor.requires_grad)
