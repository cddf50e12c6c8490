"""Short-time Fourier transforms, by PyTorch's steps. https://pytorch.org/docs/stable/generated/torch.stft.html"""

from __future__ import annotations

import warnings

from torchlike._api import creation
from torchlike._api.generated import ops
from torchlike._api.padding import pad as _pad
from torchlike._base.errors import wrap_dim
from torchlike._modes import vmap_levels
from torchlike._modes.composite import composite
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked

_SMALLEST = 1e-11  # of the summed squares of the window that `istft` divides by
_NO_WINDOW = (
    "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. Other "
    "windows such as torch.hann_window or torch.hamming_window are recommended to reduce spectral leakage.To suppress this "
    "warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`.")
_NO_WINDOW_BACK = (
    "A window was not provided. A rectangular window will be applied.Please provide the same window used by stft to make "
    "the inversion lossless.To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, "
    "device=<device>)`.")
_REAL_RESULT = (
    "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for all "
    "inputs, and return_complex=False will raise an error.\nNote: you can still call torch.view_as_real on the complex "
    "output to recover the old return format.")
_SHORT = (
    "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. Please check "
    "your center and hop_length settings.")
_ONESIDED = "Cannot have onesided output if window or input is complex"


def _type_of(x) -> str:
    name = x.dtype.scalar_name
    return f"CPU{name}Type" if x.is_complex() else f"torch.{name}Tensor"


def _text(value):
    return value if value is None else int(value)


def _call_text(name, x, window, numbers) -> str:
    """How PyTorch's errors name the call."""
    shown = None if window is None else f"{_type_of(window)}{{{list(window.shape)}}}"
    pieces = [f"{key}={shown if key == 'window' else _text(value)}" for key, value in numbers.items()]
    return f"{name}({_type_of(x)}{list(x.shape)}, {', '.join(pieces)})"


def _widened(window, n_fft, win_length):
    """The window in the middle of `n_fft` zeros."""
    left = (n_fft - win_length) // 2
    return ops.constant_pad_nd(window, (left, n_fft - win_length - left), 0) if win_length < n_fft else window


# -- stft

def _centered(x, n_fft, pad_mode):
    """Padded on both sides with half a frame."""
    rank = x.dim()
    padded = _pad(x.view([1] * (3 - rank) + list(x.shape)), [n_fft // 2] * 2, pad_mode)
    return padded.view(padded.shape[padded.dim() - rank:])


def _check_stft(x, n_fft, hop, win_length, window, fail):
    if not (x.is_floating_point() or x.is_complex()):
        fail("expected a tensor of floating point or complex values")
    if not 1 <= x.dim() <= 2:
        fail("expected a 1D or 2D tensor")
    length = x.shape[-1]
    if not 0 < n_fft <= length:
        fail(f"expected 0 < n_fft < {length}, but got n_fft={n_fft}")
    if hop <= 0:
        fail(f"expected hop_length > 0, but got hop_length={hop}")
    if not 0 < win_length <= n_fft:
        fail(f"expected 0 < win_length <= n_fft, but got win_length={win_length}")
    if window is not None and list(window.shape) != [win_length]:
        fail(f"expected a 1D window tensor of size equal to win_length={win_length}, but got window with size "
             f"{list(window.shape)}")


def _return_complex(x, window, return_complex):
    if return_complex is None:
        if not (x.is_complex() or (window is not None and window.is_complex())):
            raise RuntimeError("stft requires the return_complex parameter be given for real inputs, and will further "
                               "require that return_complex=True in a future PyTorch release.")
        return True
    if not return_complex:
        warnings.warn(_REAL_RESULT, stacklevel=3)
    return return_complex


@checked
@composite("stft")
def stft(input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
         window: Tensor | None = None, center: bool = True, pad_mode: str = "reflect", normalized: bool = False,
         onesided: bool | None = None, return_complex: bool | None = None, align_to_window: bool | None = None) -> Tensor:
    """The Fourier transforms of overlapping frames: (*, length) gives (*, frequencies, frames), `*` one batch or none.

    Frames of `n_fft` elements are `hop_length` (n_fft // 4) apart and multiplied by `window`, `win_length` (n_fft)
    numbers; `center` pads half a frame on both sides. Real input gives n_fft // 2 + 1 frequencies unless `onesided` is
    False. The result is complex; with ``return_complex=False`` pairs of real numbers (deprecated). RuntimeError for sizes
    that do not fit, and where `return_complex` is not given for real input.
    https://pytorch.org/docs/stable/generated/torch.stft.html"""
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    x = _centered(input, n_fft, pad_mode) if center else input
    hop, length = n_fft // 4 if hop_length is None else hop_length, n_fft if win_length is None else win_length
    if window is None:
        warnings.warn(_NO_WINDOW, stacklevel=2)
    as_complex = _return_complex(x, window, return_complex)
    numbers = {"n_fft": n_fft, "hop_length": hop, "win_length": length, "window": window, "normalized": normalized,
               "onesided": onesided, "return_complex": return_complex, "align_to_window": align_to_window}

    def fail(text):
        raise RuntimeError(f"{_call_text('stft', x, window, numbers)} : {text}")

    _check_stft(x, n_fft, hop, length, window, fail)
    batched = x.dim() == 2
    rows = x if batched else x.unsqueeze(0)
    if align_to_window:
        left = (n_fft - length) // 2
        rows = ops.constant_pad_nd(rows, (left, n_fft - length - left), 0)
    if window is None and length < n_fft:
        window = creation.ones(length, dtype=x.dtype, device=x.device)
    frames = _frames(rows, n_fft, hop)
    if window is not None:
        frames = frames * _widened(window, n_fft, length)
    out = _transformed(frames, onesided, normalized).transpose_(1, 2)
    out = out if batched else out.squeeze_(0)
    return out if as_complex else out.view_as_real()


def _frames(rows, n_fft, hop):
    """A window on the memory, as in PyTorch; under vmap, where memory has one more dimension, by `unfold`."""
    if vmap_levels.batched(rows):
        return rows.unfold(1, n_fft, hop)
    count = 1 + (rows.shape[1] - n_fft) // hop
    a, b = rows.stride()
    return rows.as_strided((rows.shape[0], count, n_fft), (a, hop * b, b))


def _transformed(frames, onesided, normalized):
    if onesided is None:
        onesided = not frames.is_complex()
    if not frames.is_complex():
        return ops._fft_r2c(frames, (2,), int(normalized), bool(onesided))
    if onesided:
        raise RuntimeError(_ONESIDED)
    return ops._fft_c2c(frames, (2,), int(normalized), True)


# -- istft

def _check_istft(x, n_fft, hop, win_length, window, onesided, fail):
    if not x.numel():
        fail("input tensor cannot be empty.")
    if x.dim() not in (2, 3):
        fail(f"expected a tensor with 3 or 4 dimensions, but got {x.dim() + 1}")
    size = x.shape[-2]
    if onesided and size != n_fft // 2 + 1:
        fail("expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 when "
             f"onesided=True, but got {size}")
    if not onesided and size != n_fft:
        fail("expected the frequency dimension (3rd to the last) of the input tensor to match n_fft when onesided=False, "
             f"but got {size}")
    if not 0 < hop <= win_length:
        fail("expected 0 < hop_length <= win_length")
    if not 0 < win_length <= n_fft:
        fail("expected 0 < win_length <= n_fft")
    if window is not None and list(window.shape) != [win_length]:
        fail("Invalid window shape. window has to be 1D and length of `win_length`")


@checked
def istft(input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
          window: Tensor | None = None, center: bool = True, normalized: bool = False, onesided: bool | None = None,
          length: int | None = None, return_complex: bool = False) -> Tensor:
    """The signal of a `stft`: complex (*, frequencies, frames) gives (*, length), by least squares.

    RuntimeError for sizes that do not fit, and where the squares of the windows add up to (almost) nothing. Under vmap
    over windows this is not looked at: the result is inf or nan there.
    https://pytorch.org/docs/stable/generated/torch.istft.html"""
    if window is None:
        warnings.warn(_NO_WINDOW_BACK, stacklevel=2)
    if not input.is_complex():
        raise RuntimeError("istft requires a complex-valued input tensor matching the output from stft with "
                           "return_complex=True.")
    size = input.shape[wrap_dim(-2, input.dim())] if input.dim() > 1 else input.shape[wrap_dim(-3, input.dim() + 1)]
    hop, wide = n_fft // 4 if hop_length is None else hop_length, n_fft if win_length is None else win_length
    numbers = {"n_fft": n_fft, "hop_length": hop, "win_length": wide, "window": window, "center": center,
               "normalized": normalized, "onesided": onesided, "length": length, "return_complex": return_complex}
    both = size != n_fft if onesided is None else onesided
    called = _call_text("istft", input, window, numbers)

    def fail(text):
        raise RuntimeError(f"{called} : {text}")

    _check_istft(input, n_fft, hop, wide, window, both, fail)
    if return_complex and both:
        raise RuntimeError(_ONESIDED)
    if not return_complex and window is not None and window.is_complex():
        raise RuntimeError("Complex windows are incompatible with return_complex=False")
    if window is None:
        window = creation.ones(wide, dtype=input.dtype if return_complex else input.dtype.to_real(), device=input.device)
    made = _widened(window, n_fft, wide)
    pieces = _pieces(input, n_fft, normalized, both, return_complex) * made.view(1, 1, n_fft)
    return _overlapped(pieces, made, hop, center, length, input.dim() == 3, called)


def _pieces(input, n_fft, normalized, onesided, return_complex):
    """(batch, frames, n_fft): each frame transformed back."""
    pairs = input.view_as_real()
    pairs = pairs if input.dim() == 3 else pairs.unsqueeze(0)
    x = pairs.transpose(1, 2).view_as_complex()
    scale = 1 if normalized else 2
    if return_complex:
        return ops._fft_c2c(x, (2,), scale, False)
    if not onesided:
        x = ops.slice_Tensor(x, -1, 0, n_fft // 2 + 1)
    return ops._fft_c2r(x, (2,), scale, n_fft)


def _overlapped(pieces, window, hop, center, length, batched, called):
    batch, count, n_fft = pieces.shape
    have = n_fft + hop * (count - 1)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else have - n_fft // 2 if center else have
    y = ops.unfold_backward(pieces, (batch, have), 1, n_fft, hop)
    squares = ops.pow_Tensor_Scalar(window, 2).expand(1, count, n_fft)
    envelope = ops.unfold_backward(squares, (1, have), 1, n_fft, hop)
    y, envelope = ops.slice_Tensor(y, 1, start, end), ops.slice_Tensor(envelope, 1, start, end)
    smallest = envelope.abs().min()
    if not vmap_levels.batched(smallest) and smallest.item() < _SMALLEST:
        raise RuntimeError(f"{called} window overlap add min: 1\n[ CPUBoolType{{}} ]")
    y = y / envelope
    y = y if batched else y.squeeze(0)
    if end > have:
        warnings.warn(_SHORT, stacklevel=3)
        y = ops.constant_pad_nd(y, (0, end - have), 0)
    return y


FUNCTIONS: dict = {"stft": stft, "istft": istft}
METHODS: dict = {"stft": stft, "istft": istft}
