"""``out=``, for all functions."""

from torchlike._api.from_data import check_grad
from torchlike._base import device as dev
from torchlike._modes import autocast
from torchlike._ops import out_dtypes
from torchlike._record.inplace import write_out
from torchlike._record.overlap import check_out
from torchlike._record.wrong_calls import instead_of


def written(out, name, read, function, *args, **kwargs):
    """What ``function(*args, **kwargs)`` gives, written to `out`. PyTorch casts for no operator that writes to a tensor,
    so autocast is off.

    Args:
        out: a Tensor, or as many as there are results.
        name: PyTorch's name of the operator, for error texts.
        read: operands that `out` may be, but not overlap with.
    """
    try:
        with autocast.off():
            args, kwargs = out_dtypes.computed_for(name, out, args, kwargs)
            made = function(*args, **kwargs)
            out_dtypes.check(name, out, made, args, kwargs)
            return write_out(out, made, name, read)
    except (AttributeError, TypeError) as error:
        raise instead_of(error) from None


def written_apart(out, name, read, function, *args, **kwargs):
    """The same where `out` (the first of several) may be none of the operands `read`."""
    try:
        with autocast.off():
            made = function(*args, **kwargs)
            out_dtypes.check(name, out, made)
            check_out(out[0] if isinstance(out, tuple | list) else out, read)
            return write_out(out, made, name)
    except (AttributeError, TypeError) as error:
        raise instead_of(error) from None


def made_into(out, name, function, *args, dtype=None, layout=None, device=None, requires_grad=False, **how):
    """A new tensor, made by ``function(*args, dtype=..., device=..., **how)`` in the dtype of `out`, and written to it.

    Args:
        name: PyTorch's name of the operator, for error texts.
        dtype, layout, device: None, or those of `out`.
        requires_grad: whether `out` shall require grad.

    Raises: RuntimeError where `out` has another dtype, layout or device.
    """
    if dtype is not None and dtype is not out.dtype:
        raise RuntimeError(f"dtype {dtype.scalar_name} does not match dtype of out parameter ({out.dtype.scalar_name})")
    if layout is not None and layout is not out.layout:
        raise RuntimeError(f"layout {layout.cpp_name} does not match layout of out parameter ({out.layout.cpp_name})")
    if device is not None and dev.device(device).type != out.device.type:
        raise RuntimeError(f"device type {dev.device(device).type} does not match device type of out parameter "
                           f"({out.device.type})")
    written(out, name, (), lambda: function(*args, dtype=out.dtype, device=out.device, **how))
    if requires_grad:
        check_grad(out.dtype, requires_grad)
        out.requires_grad_()
    return out
