"""``out=``, for all functions."""

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
            made = function(*args, **kwargs)
            out_dtypes.check(name, out, made)
            return write_out(out, made, name, read)
    except (AttributeError, TypeError) as error:
        raise instead_of(error) from None


def written_apart(out, name, read, function, *args, **kwargs):
    """The same where `out` (the first of several) may be none of the operands `read`."""
    with autocast.off():
        made = function(*args, **kwargs)
        out_dtypes.check(name, out, made)
        check_out(out[0] if isinstance(out, tuple | list) else out, read)
        return write_out(out, made, name)
