"""`torch.fft`, from the three transforms of `_ops/spectral.py`. https://pytorch.org/docs/stable/fft.html"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from torchlike._api import ranges
from torchlike._api.generated import ops
from torchlike._api.options import check_options
from torchlike._api.out import made_into, written
from torchlike._api.types import DeviceLike
from torchlike._base import dtypes as dt
from torchlike._base.dtypes import dtype
from torchlike._base.errors import wrap_dim
from torchlike._modes.composite import composite
from torchlike._ops import promotion
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked, judged

_NORMS = {True: {None: 0, "backward": 0, "forward": 2, "ortho": 1},
          False: {None: 2, "backward": 2, "forward": 0, "ortho": 1}}


def _norm(norm, forward) -> int:
    if norm not in _NORMS[forward]:
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return _NORMS[forward][norm]


def _promoted(x, is_complex=False):
    """`x` in a dtype that has a transform: integers as the default float, real as complex where it must be."""
    dtype = x.dtype
    if dtype.category < dt.FLOAT:
        dtype = promotion.default.dtype
    if is_complex and not dtype.is_complex:
        dtype = dtype.to_complex()
    return x.to(dtype)


def _resized(x, dims, sizes):
    """Cut, or filled up with zeros, to these sizes; -1 leaves a dimension as it is."""
    for dim, size in zip(dims, sizes, strict=True):
        if size == -1:
            continue
        _checked(size)
        old = x.shape[dim]
        if size < old:
            x = ops.slice_Tensor(x, dim, 0, size)
        elif size > old:
            pad = [0] * (2 * (x.ndim - dim))
            pad[-1] = size - old
            x = ops.constant_pad_nd(x, tuple(pad), 0)
    return x


def _checked(size):
    if size < 1:
        raise RuntimeError(f"Invalid number of data points ({size}) specified")
    return size


def _dim(x, dim) -> int:
    if not x.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, x.ndim)


# -- one dimension

def _c2c(x, n, dim, norm, forward):
    x = _promoted(x)
    dim = _dim(x, dim)
    x = _resized(x, [dim], [_checked(x.shape[dim] if n is None else n)])
    if x.is_complex():
        return ops._fft_c2c(x, (dim,), _norm(norm, forward), forward)
    made = ops._fft_r2c(x, (dim,), _norm(norm, forward), False)
    return made if forward else made.conj()


def _r2c(name, x, n, dim, norm, forward):
    if x.is_complex():
        raise RuntimeError(f"{name} expects a real input tensor, but got {x.dtype.scalar_name}")
    x = _promoted(x)
    dim = _dim(x, dim)
    x = _resized(x, [dim], [_checked(x.shape[dim] if n is None else n)])
    made = ops._fft_r2c(x, (dim,), _norm(norm, forward), True)
    return made if forward else made.conj()


def _c2r(x, n, dim, norm, forward):
    x = _promoted(x, is_complex=True)
    dim = _dim(x, dim)
    n = _checked(2 * (x.shape[dim] - 1) if n is None else n)
    x = _resized(x, [dim], [n // 2 + 1])
    return ops._fft_c2r(x.conj() if forward else x, (dim,), _norm(norm, forward), n)


@composite("fft_fft")
def fft_fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *,
            out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.fft.fft.html"""
    if out is not None:
        return written(out, "fft", (), fft_fft, input, n, dim, norm)
    return _c2c(input, n, dim, norm, True)


@composite("fft_ifft")
def fft_ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *,
             out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.fft.ifft.html"""
    if out is not None:
        return written(out, "ifft", (), fft_ifft, input, n, dim, norm)
    return _c2c(input, n, dim, norm, False)


@composite("fft_rfft")
def fft_rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *,
             out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.fft.rfft.html"""
    if out is not None:
        return written(out, "rfft", (), fft_rfft, input, n, dim, norm)
    return _r2c("rfft", input, n, dim, norm, True)


@composite("fft_irfft")
def fft_irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *,
              out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.fft.irfft.html"""
    if out is not None:
        return written(out, "irfft", (), fft_irfft, input, n, dim, norm)
    return _c2r(input, n, dim, norm, False)


@composite("fft_hfft")
def fft_hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *,
             out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.fft.hfft.html"""
    if out is not None:
        return written(out, "hfft", (), fft_hfft, input, n, dim, norm)
    return _c2r(input, n, dim, norm, True)


@composite("fft_ihfft")
def fft_ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *,
              out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.fft.ihfft.html"""
    if out is not None:
        return written(out, "ihfft", (), fft_ihfft, input, n, dim, norm)
    return _r2c("ihfft", input, n, dim, norm, False)


# -- several dimensions

def _sizes(x, s, dim):
    """(dims, sizes) that `s` and `dim` ask for; size -1 is that of the input."""
    s = None if s is None else [s] if isinstance(s, int) else list(s)
    dims = None if dim is None else [wrap_dim(d, x.ndim) for d in ([dim] if isinstance(dim, int) else dim)]
    if dims is not None and len(set(dims)) != len(dims):
        raise RuntimeError("FFT dims must be unique")
    if dims and not x.ndim:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    if s is not None:
        if dims is not None and len(dims) != len(s):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        if len(s) > x.ndim:
            raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {x.ndim} dimensions.")
        dims = list(range(x.ndim - len(s), x.ndim)) if dims is None else dims
        return dims, [x.shape[d] if size == -1 else size for d, size in zip(dims, s, strict=True)]
    dims = list(range(x.ndim)) if dims is None else dims
    return dims, [x.shape[d] for d in dims]


def _all_checked(sizes):
    for size in sizes:
        _checked(size)


def _c2c_nd(x, s, dim, norm, forward):
    x = _promoted(x, is_complex=True)
    dims, sizes = _sizes(x, s, dim)
    _all_checked(sizes)
    return ops._fft_c2c(_resized(x, dims, sizes), tuple(dims), _norm(norm, forward), forward) if dims else x


def _halved(name, x, s, dim):
    """(dims, sizes) of a transform to or from a half; the last of them is the one that is halved."""
    dims, sizes = _sizes(x, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    return dims, sizes


@composite("fft_rfftn")
def fft_rfftn(input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None,
              norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.fft.rfftn.html"""
    if out is not None:
        return written(out, "rfftn", (), fft_rfftn, input, s, dim, norm)
    if input.is_complex():
        raise RuntimeError(f"rfftn expects a real-valued input tensor, but got {input.dtype.scalar_name}")
    x = _promoted(input)
    dims, sizes = _halved("rfftn", x, s, dim)
    _all_checked(sizes)
    return ops._fft_r2c(_resized(x, dims, sizes), tuple(dims), _norm(norm, True), True)


def _from_half(name, x, s, dim):
    """(x resized, dims, size of the last)."""
    x = _promoted(x, is_complex=True)
    dims, sizes = _halved(name, x, s, dim)
    given = None if s is None else ([s] if isinstance(s, int) else list(s))[-1]
    last = _checked(2 * (x.shape[dims[-1]] - 1) if given in (None, -1) else given)
    sizes[-1] = last // 2 + 1
    _all_checked(sizes)
    return _resized(x, dims, sizes), dims, last


@judged
@composite("fft_irfftn")
def fft_irfftn(input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None,
               norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.fft.irfftn.html"""
    if out is not None:
        return written(out, "irfftn", (), fft_irfftn, input, s, dim, norm)
    x, dims, last = _from_half("irfftn", input, s, dim)
    return ops._fft_c2r(x, tuple(dims), _norm(norm, False), last)


@checked
def fft_hfftn(input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None,
              norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.fft.hfftn.html"""
    if out is not None:
        return written(out, "hfftn", (), fft_hfftn, input, s, dim, norm)
    x, dims, last = _from_half("hfftn", input, s, dim)
    how = _norm(norm, True)
    if len(dims) > 1:
        x = ops._fft_c2c(x, tuple(dims[:-1]), how, True)
    return ops._fft_c2r(x.conj(), (dims[-1],), how, last)


@checked
def fft_ihfftn(input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None,
               norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.fft.ihfftn.html"""
    if out is not None:
        return written(out, "ihfftn", (), fft_ihfftn, input, s, dim, norm)
    if not input.is_floating_point() and input.is_complex():
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {input.dtype.scalar_name}")
    x = _promoted(input)
    dims, sizes = _halved("ihfftn", x, s, dim)
    _all_checked(sizes)
    how = _norm(norm, False)
    x = ops._fft_r2c(_resized(x, dims, sizes), (dims[-1],), how, True)
    if len(dims) == 1:
        return x.conj()
    return ops._fft_c2c(x.conj(), tuple(dims[:-1]), how, False)


@judged
@composite("fft_fftn")
def fft_fftn(input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None,
             norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.fft.fftn.html"""
    if out is not None:
        return written(out, "fftn", (), fft_fftn, input, s, dim, norm)
    return _c2c_nd(input, s, dim, norm, True)


@judged
@composite("fft_ifftn")
def fft_ifftn(input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None,
              norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.fft.ifftn.html"""
    if out is not None:
        return written(out, "ifftn", (), fft_ifftn, input, s, dim, norm)
    return _c2c_nd(input, s, dim, norm, False)


@judged
@composite("fft_fft2")
def fft_fft2(input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] = (-2, -1),
             norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`fft_fftn` over the last two dimensions, unless it is told otherwise.
    https://pytorch.org/docs/stable/generated/torch.fft.fft2.html"""
    if out is not None:
        return written(out, "fft2", (), fft_fft2, input, s, dim, norm)
    return fft_fftn(input, s, dim, norm)


@judged
@composite("fft_ifft2")
def fft_ifft2(input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] = (-2, -1),
              norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`fft_ifftn` over the last two dimensions, unless it is told otherwise.
    https://pytorch.org/docs/stable/generated/torch.fft.ifft2.html"""
    if out is not None:
        return written(out, "ifft2", (), fft_ifft2, input, s, dim, norm)
    return fft_ifftn(input, s, dim, norm)


@judged
@composite("fft_rfft2")
def fft_rfft2(input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] = (-2, -1),
              norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`fft_rfftn` over the last two dimensions, unless it is told otherwise.
    https://pytorch.org/docs/stable/generated/torch.fft.rfft2.html"""
    if out is not None:
        return written(out, "rfft2", (), fft_rfft2, input, s, dim, norm)
    return fft_rfftn(input, s, dim, norm)


@judged
@composite("fft_irfft2")
def fft_irfft2(input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] = (-2, -1),
               norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`fft_irfftn` over the last two dimensions, unless it is told otherwise.
    https://pytorch.org/docs/stable/generated/torch.fft.irfft2.html"""
    if out is not None:
        return written(out, "irfft2", (), fft_irfft2, input, s, dim, norm)
    return fft_irfftn(input, s, dim, norm)


@checked
def fft_hfft2(input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] = (-2, -1),
              norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`fft_hfftn` over the last two dimensions, unless it is told otherwise.
    https://pytorch.org/docs/stable/generated/torch.fft.hfft2.html"""
    if out is not None:
        return written(out, "hfft2", (), fft_hfft2, input, s, dim, norm)
    return fft_hfftn(input, s, dim, norm)


@checked
def fft_ihfft2(input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] = (-2, -1),
               norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`fft_ihfftn` over the last two dimensions, unless it is told otherwise.
    https://pytorch.org/docs/stable/generated/torch.fft.ihfft2.html"""
    if out is not None:
        return written(out, "ihfft2", (), fft_ihfft2, input, s, dim, norm)
    return fft_ihfftn(input, s, dim, norm)


# -- frequencies and shifts

@judged
def fftfreq(n: int, d: float = 1.0, *, out: Tensor | None = None, dtype: dtype | None = None, layout=None,
            device: DeviceLike | None = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """The frequencies of the bins of `fft`. https://pytorch.org/docs/stable/generated/torch.fft.fftfreq.html

    Args:
        n: the number of points.
        d: the distance between two of them.
        out: written to and returned; resized to fit.
        dtype: a floating dtype; None is the default one.
        layout: for PyTorch's signature; all tensors are strided.
        device: where the result is; None is the default device.
        pin_memory: accepted; JAX moves memory by itself.
        requires_grad: whether the result is a leaf that requires grad.

    Returns: (n), in cycles for each unit of `d`, the negative ones last.
    """
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _frequencies("fftfreq", n, d, out, dtype, layout, device, requires_grad)


@judged
def rfftfreq(n: int, d: float = 1.0, *, out: Tensor | None = None, dtype: dtype | None = None, layout=None,
             device: DeviceLike | None = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """The frequencies of the bins of `rfft`. https://pytorch.org/docs/stable/generated/torch.fft.rfftfreq.html

    Args: as for `fftfreq`.

    Returns: (n // 2 + 1), in cycles for each unit of `d`.
    """
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _frequencies("rfftfreq", n, d, out, dtype, layout, device, requires_grad)


def _frequencies(name, n, d, out, dtype, layout, device, requires_grad):
    if out is not None:
        return made_into(out, name, functools.partial(_frequencies, name, n, d, None, layout=None, requires_grad=False),
                         dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)
    dtype = dtype or promotion.default.dtype
    if dtype.category < dt.FLOAT:
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    made = ranges.arange(n if name == "fftfreq" else n // 2 + 1, dtype=dtype, device=device)
    if name == "fftfreq":
        made = ops.where_self(made < (n + 1) // 2, made, made - n)
    return (made * (1.0 / (n * d) if n else 1.0)).requires_grad_(requires_grad)


def _rolled(x, dim, sign):
    dims = list(range(x.ndim)) if dim is None else [wrap_dim(d, x.ndim) for d in ([dim] if isinstance(dim, int) else dim)]
    shifts = [x.shape[d] // 2 if sign > 0 else (x.shape[d] + 1) // 2 for d in dims]
    return ops.roll(x, tuple(shifts), tuple(dims))


@checked
def fftshift(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Move the bin of frequency 0 into the middle. https://pytorch.org/docs/stable/generated/torch.fft.fftshift.html

    Args:
        input: (*), in the order of `fftfreq`.
        dim: one dimension or several; None is all.

    Returns: (*), rolled along `dim`.
    """
    return _rolled(input, dim, 1)


@checked
def ifftshift(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Undo `fftshift`. https://pytorch.org/docs/stable/generated/torch.fft.ifftshift.html

    Args: as for `fftshift`.

    Returns: (*), rolled along `dim`.
    """
    return _rolled(input, dim, -1)


FUNCTIONS: dict = {
    "fft_fft": fft_fft, "fft_ifft": fft_ifft, "fft_rfft": fft_rfft, "fft_irfft": fft_irfft, "fft_hfft": fft_hfft,
    "fft_ihfft": fft_ihfft, "fft_fftn": fft_fftn, "fft_ifftn": fft_ifftn, "fft_rfftn": fft_rfftn, "fft_irfftn": fft_irfftn,
    "fft_hfftn": fft_hfftn, "fft_ihfftn": fft_ihfftn, "fft_fft2": fft_fft2, "fft_ifft2": fft_ifft2, "fft_rfft2": fft_rfft2,
    "fft_irfft2": fft_irfft2, "fft_hfft2": fft_hfft2, "fft_ihfft2": fft_ihfft2, "fft_fftfreq": fftfreq, "fft_rfftfreq":
    rfftfreq, "fft_fftshift": fftshift, "fft_ifftshift": ifftshift,
}
