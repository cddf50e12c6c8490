"""Convolution, pooling, losses, look-ups and padding as PyTorch's torch namespace has them.

https://pytorch.org/docs/stable/nn.functional.html. Each is one row with its arguments put in order, or a
few of them; see nnops.py for the rest of the family.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

from torchlike._api.generated import ops
from torchlike._api.index_checks import check_bounds, check_classes, expect
from torchlike._api.joining import cat
from torchlike._api.nnops import refuse_complex
from torchlike._api.selecting import check_sparse_gradient
from torchlike._api.writing import result_type
from torchlike._modes import autocast, vmap_levels
from torchlike._modes.composite import composite
from torchlike._ops.geometry import broadcast
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike.autograd.grad_mode import no_grad


def _ints(v) -> tuple:
    return tuple(operator.index(i) for i in v) if hasattr(v, "__iter__") else (operator.index(v),)


# --- convolution --------------------------------------------------------------------------------

def _batchify(input, n, name):
    """The input with a batch dimension, and whether it had one."""
    if input.dim() not in (n + 1, n + 2):
        raise RuntimeError(f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}, but got input of size: "
                           f"{list(input.shape)}")
    return (input, True) if input.dim() == n + 2 else (input.unsqueeze(0), False)


def _same_padding(input, weight, stride, dilation, n):
    """Input and padding for padding="same"; an odd total is padded by hand on the right."""
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    if weight.dim() != n + 2:
        raise RuntimeError(f"Expected {weight.dim()}-dimensional input for {weight.dim()}-dimensional weight"
                           f"{list(weight.shape)}, but got {input.dim()}-dimensional input of size {list(input.shape)} "
                           "instead")
    dilation = dilation * n if len(dilation) == 1 else dilation
    totals = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:], strict=True)]
    if any(t % 2 for t in totals):
        extra = [v for t in reversed(totals) for v in (0, t % 2)]
        input = ops.constant_pad_nd(input, tuple(extra), 0)
    return input, tuple(t // 2 for t in totals)


def _convolution(input, weight, bias, *params):
    """The row; complex numbers by three real convolutions, as PyTorch does it."""
    if not input.is_complex():
        return ops.convolution(input, weight, bias, *params)
    bias_re, bias_im = (None, None) if bias is None else (bias.real, bias.imag)
    both = None if bias is None else bias_re + bias_im
    a = ops.convolution(input.real, weight.real, bias_re, *params)
    b = ops.convolution(input.imag, weight.imag, None, *params)
    c = ops.convolution(input.real + input.imag, weight.real + weight.imag, both, *params)
    return a - b + 1j * (c - a - b)


def _conv(n):
    name = f"conv{n}d"

    def face(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1,
             padding: int | Sequence[int] | str = 0, dilation: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
        input, batched = _batchify(input, n, name)
        if n == 1 and weight.dim() < 3:
            raise RuntimeError("weight should have at least three dimensions")
        stride, dilation = _ints(stride), _ints(dilation)
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise RuntimeError(f"Invalid padding string: '{padding}'")
            if padding == "same":
                input, padding = _same_padding(input, weight, stride, dilation, n)
            else:
                padding = (0,) * n
        out = _convolution(input, weight, bias, stride, _ints(padding), dilation, False, (0,) * n, groups)
        return out if batched else out.squeeze(0)

    return _named(face, name)


def _conv_transpose(n):
    name = f"conv_transpose{n}d"

    def face(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1,
             padding: int | Sequence[int] = 0, output_padding: int | Sequence[int] = 0, groups: int = 1,
             dilation: int | Sequence[int] = 1) -> Tensor:
        input, batched = _batchify(input, n, name)
        out = _convolution(input, weight, bias, _ints(stride), _ints(padding), _ints(dilation), True,
                           _ints(output_padding), groups)
        return out if batched else out.squeeze(0)

    return _named(face, name)


def _named(face, name):
    face.__name__ = face.__qualname__ = name
    face.__doc__ = f"https://pytorch.org/docs/stable/generated/torch.nn.functional.{name}.html"
    return composite(name)(face)


# --- pooling ------------------------------------------------------------------------------------

def _one(v, word, name):
    v = _ints(v)
    if len(v) != 1:
        raise RuntimeError(f"{name}() argument '{word}' should contain one int (got {len(v)})")
    return v[0]


def _max_pool1d_all(input, kernel_size, stride, padding, dilation, ceil_mode):
    if input.dim() not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError("max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, "
                           f"but got:{list(input.shape)}")
    stride = kernel_size if stride in (None, (), []) else stride
    k, s, p, d = (_one(v, w, "max_pool1d") for v, w in (
        (kernel_size, "kernel_size"), (stride, "stride"), (padding, "padding"), (dilation, "dilation")))
    if k <= 0:
        raise RuntimeError(f"max_pool1d() kernel_size must be greater than zero, but got {k}")
    if s <= 0:
        raise RuntimeError(f"max_pool1d() stride must be greater than zero, but got {s}")
    if d <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {d}")
    out = (input.shape[-1] + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
    if out <= 0 and p >= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {out}")
    value, index = ops.max_pool2d_with_indices(input.unsqueeze(-2), (1, k), (1, s), (0, p), (1, d), ceil_mode)
    return value.squeeze(-2), index.squeeze(-2)


def max_pool1d(input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
               padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.max_pool1d.html"""
    if not input.is_floating_point():
        raise NotImplementedError(f"\"max_pool1d_impl\" not implemented for '{input.dtype.scalar_name}'")
    return _max_pool1d_all(input, kernel_size, stride, padding, dilation, ceil_mode)[0]


def max_pool1d_with_indices(input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
                            padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1,
                            ceil_mode: bool = False) -> tuple[Tensor, Tensor]:
    """`max_pool1d` and the positions of the maxima."""
    return _max_pool1d_all(input, kernel_size, stride, padding, dilation, ceil_mode)


def _max_pool(n):
    row = getattr(ops, f"max_pool{n}d_with_indices")

    def face(input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
             padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False) -> Tensor:
        return row(input, _ints(kernel_size), () if stride is None else _ints(stride), _ints(padding), _ints(dilation),
                   ceil_mode)[0]

    return _named(face, f"max_pool{n}d")


def avg_pool1d(input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
               padding: int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.avg_pool1d.html"""
    _check_1d(input, "avg_pool1d")
    stride = kernel_size if stride in (None, (), []) else stride
    k, s, p = (_one(v, w, "avg_pool1d") for v, w in (
        (kernel_size, "kernel_size"), (stride, "stride"), (padding, "padding")))
    return ops.avg_pool2d(input.unsqueeze(-2), (1, k), (1, s), (0, p), ceil_mode, count_include_pad).squeeze(-2)


def _check_1d(input, name):
    if input.dim() not in (2, 3):
        raise RuntimeError(f"Expected 2 to 3 dimensions, but got {input.dim()}-dimensional tensor for argument #1 'self' "
                           f"(while checking arguments for {name})")


def _adaptive_avg_pool(n):
    row = getattr(ops, f"_adaptive_avg_pool{n}d")

    def face(input: Tensor, output_size: int | Sequence[int]) -> Tensor:
        size = _ints(output_size)
        size = size * n if len(size) == 1 else size
        if size == (1,) * n and input.dim() in (n + 1, n + 2) and 0 not in input.shape[-n:]:
            return input.mean(tuple(range(-n, 0)), keepdim=True)
        return row(input, size)

    return _named(face, f"adaptive_avg_pool{n}d")


def adaptive_avg_pool1d(input: Tensor, output_size: int | Sequence[int]) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_avg_pool1d.html"""
    _check_1d(input, "adaptive_avg_pool1d")
    size = _one(output_size, "output_size", "adaptive_avg_pool1d")
    return _adaptive_avg_pool2d(input.unsqueeze(-2), (1, size)).squeeze(-2)


_adaptive_avg_pool2d = _adaptive_avg_pool(2)


def adaptive_max_pool1d(input: Tensor, output_size: int | Sequence[int]) -> tuple[Tensor, Tensor]:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_max_pool1d.html"""
    _check_1d(input, "adaptive_max_pool1d")
    size = _one(output_size, "output_size", "adaptive_max_pool1d")
    value, index = ops.adaptive_max_pool2d(input.unsqueeze(-2), (1, size))
    return value.squeeze(-2), index.squeeze(-2)


# --- losses -------------------------------------------------------------------------------------

def nll_loss_nd(input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = 1,
                ignore_index: int = -100) -> Tensor:
    """Minus the log-probability of the target class, classes along dimension 1 (0 of a vector).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.nll_loss.html"""
    rank = input.dim()
    if rank < 1:
        raise ValueError(f"Expected 1 or more dimensions (got {rank})")
    if rank != 1 and (target.dim() == 0 or input.shape[0] != target.shape[0]):
        got = target.shape[0] if target.dim() else 0
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({got}).")
    later = check_classes(input.shape[0 if rank == 1 else 1], target, ignore_index)
    made = _nll_loss(input, target, weight, reduction, ignore_index)
    expect(later)
    return made


@composite("nll_loss")
def _nll_loss(input, target, weight, reduction, ignore_index):
    if input.dim() <= 2:
        return ops.nll_loss_forward(input, target, weight, reduction, ignore_index)[0]
    if input.dim() == 4:
        return ops.nll_loss2d_forward(input, target, weight, reduction, ignore_index)[0]
    n, c = input.shape[:2]
    out_size = (n, *input.shape[2:])
    if tuple(target.shape[1:]) != out_size[1:]:
        raise RuntimeError(f"Expected target size {list(out_size)}, got {list(target.shape)}")
    input, target = input.contiguous(), target.contiguous()
    if input.numel():
        input, target = input.view(n, c, 1, -1), target.view(n, 1, -1)
    else:
        input, target = input.view(n, c, 0, 0), target.view(n, 0, 0)
    out = ops.nll_loss2d_forward(input, target, weight, reduction, ignore_index)[0]
    return out.view(*out_size) if reduction == 0 else out


def _check_class_weight(input, weight, dim):
    n = input.shape[dim]
    if weight is not None and (weight.dim() != 1 or weight.numel() != n):
        raise RuntimeError(f"cross_entropy: weight tensor should be defined either for all {n} classes or no classes but "
                           f"got weight tensor of shape: {list(weight.shape)}")


def _by_channel(weight, input, dim):
    """A vector over classes shaped to multiply (N, C, *)."""
    if input.dim() == 1:
        return weight
    return weight.view(*(-1 if i == dim else 1 for i in range(input.dim())))


def _probability_loss(input, target, weight, reduction, smoothing):
    dim = 0 if input.dim() == 1 else 1
    n_classes = input.shape[dim]
    _check_class_weight(input, weight, dim)
    logs = input.log_softmax(dim)
    if smoothing > 0:
        target = target * (1 - smoothing) + smoothing / n_classes
    product = logs * target
    if weight is not None:
        product = logs * target * _by_channel(weight, input, dim)
    if reduction == 0:
        return -product.sum(dim)
    if reduction == 2:
        return -product.sum()
    batch = input.numel() // n_classes if n_classes else 0
    return -product.sum() / max(1, batch) if input.dim() else -product.sum()


def _smoothed_loss(input, target, weight, reduction, ignore_index, smoothing):
    dim = 0 if input.dim() == 1 else 1
    n_classes = input.shape[dim]
    logs = input.log_softmax(dim)
    nll = nll_loss_nd(logs, target, weight, reduction, ignore_index)
    weighted = logs if weight is None else logs * _by_channel(weight, input, dim)
    smooth = -weighted.sum(dim)
    ignored = target == ignore_index
    smooth = smooth.masked_fill(ignored, 0.0)
    if reduction == 1:
        if weight is None:
            count = ignored.logical_not().sum()
            smooth = smooth.sum() / count
        else:
            used = weight.gather(0, target.masked_fill(ignored, 0).flatten())
            smooth = smooth.sum() / used.masked_fill(ignored.flatten(), 0).sum()
    elif reduction == 2:
        smooth = smooth.sum()
    return nll * (1 - smoothing) + smooth * (smoothing / n_classes)


@composite("cross_entropy_loss")
def cross_entropy_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = 1,
                       ignore_index: int = -100, label_smoothing: float = 0.0) -> Tensor:
    """log_softmax and `nll_loss_nd`, or a product with class probabilities.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.cross_entropy.html"""
    if tuple(input.shape) == tuple(target.shape):
        if not target.is_floating_point():
            raise RuntimeError("Expected floating point type for target with class probabilities, got "
                               f"{target.dtype.scalar_name}")
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if tuple(input.shape) == tuple(target.shape):
        return _probability_loss(input, target, weight, reduction, label_smoothing)
    if label_smoothing > 0:
        return _smoothed_loss(input, target, weight, reduction, ignore_index, label_smoothing)
    logs = input.log_softmax(0 if input.dim() == 1 else 1)
    return nll_loss_nd(logs, target, weight, reduction, ignore_index)


@composite("cosine_similarity")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.cosine_similarity.html"""
    common = result_type(x1, x2)
    if not common.is_floating_point:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {common.scalar_name}")
    a, b = x1.to(common), x2.to(common)
    size = broadcast(a.shape, b.shape)
    a, b = (x if tuple(x.shape) == size else x.expand(size) for x in (a, b))
    norms = []
    for x in (a, b):
        norm = ops.linalg_vector_norm(x, 2, dim, True).clone()
        with no_grad():
            norm.clamp_min_(eps)
        norms.append(norm)
    return (a / norms[0] * (b / norms[1])).sum(dim)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.pairwise_distance.html"""
    last = max(x1.dim(), x2.dim()) - 1
    return (x1 - x2 + eps).norm(p, last, keepdim)


def soft_margin_loss(input: Tensor, target: Tensor, reduction: int = 1) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.soft_margin_loss.html"""
    refuse_complex("soft_margin_loss", input, target)
    return ops.soft_margin_loss(input, target, reduction)


# --- look-ups -----------------------------------------------------------------------------------

def embedding(weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False,
              sparse: bool = False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html"""
    refuse_complex("embedding", weight)
    later = check_bounds("embedding", weight, indices) if weight.dim() else []
    if sparse:
        check_sparse_gradient(weight, "embedding(sparse=True)")
    made = ops.embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse)
    expect(later)
    return made


def _checked_classes(tensor, num_classes) -> int:
    """How many classes; RuntimeError where a value is none of them."""
    if tensor.min().item() < 0:
        raise RuntimeError("Class values must be non-negative.")
    largest = tensor.max().item()
    if num_classes == -1:
        return largest + 1
    if num_classes < 1 and largest < num_classes:
        raise RuntimeError("num_classes should be positive")
    if largest >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return num_classes


def one_hot(tensor, num_classes: int = -1) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.one_hot.html"""
    if tensor.dtype.name != "int64":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return tensor.new_zeros((*tensor.shape, num_classes))
    if state.thread.frames and vmap_levels.batched(tensor):
        if num_classes <= 0:
            raise RuntimeError("When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes "
                               "argument.")
    else:
        num_classes = _checked_classes(tensor, num_classes)
    return tensor.new_zeros((*tensor.shape, num_classes)).scatter_(-1, tensor.unsqueeze(-1), 1)


# --- padding ------------------------------------------------------------------------------------

_PAD_RANKS = (
    "Supported combinations for non-constant padding:\n  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
    "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
    "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)")


def pad(input: Tensor, pad: int | Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.pad.html"""
    pad = _ints(pad)
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * input.dim():
        raise RuntimeError("Padding length should be less than or equal to two times the input dimension but got padding "
                           f"length {len(pad)} and input of dimension {input.dim()}")
    if mode == "constant":
        return ops.constant_pad_nd(input, pad, 0 if value is None else value)
    if value not in (None, 0):
        raise RuntimeError(f"Padding mode \"{mode}\" doesn't take in value argument")
    n = len(pad) // 2
    if n in (1, 2, 3) and input.dim() in (n + 1, n + 2):
        if mode in ("reflect", "replicate"):
            row = {"reflect": "reflection", "replicate": "replication"}[mode]
            return getattr(ops, f"{row}_pad{n}d")(input, pad)
        if mode == "circular":
            with autocast.off():  # autocast would see `cat`, which PyTorch does not call
                return _circular(input, pad)
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    raise NotImplementedError(f"Padding size {len(pad)} is not supported for {input.dim()}D input tensor.\n{_PAD_RANKS}")


def _circular(input, pad):
    """Wraps around, the first padded dimension first. (PyTorch writes slices into an empty tensor.)"""
    n = len(pad) // 2
    for i in reversed(range(n)):
        dim, low, high = input.dim() - 1 - i, pad[2 * i], pad[2 * i + 1]
        size = input.shape[dim]
        if low > size or high > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if low + high + size < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    for i in reversed(range(n)):
        dim, low, high = input.dim() - 1 - i, pad[2 * i], pad[2 * i + 1]
        size = input.shape[dim]
        inside = input.narrow(dim, max(-low, 0), size - max(-low, 0) - max(-high, 0))  # cut off before wrapping
        parts = [inside.narrow(dim, inside.shape[dim] - low, low)] if low > 0 else []
        parts.append(inside)
        if high > 0:
            parts.append(inside.narrow(dim, 0, high))
        input = cat(parts, dim) if len(parts) > 1 else inside
    return input


conv1d, conv2d, conv3d = map(_conv, (1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = map(_conv_transpose, (1, 2, 3))


@composite("grid_sampler")
def grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
    """`grid_sampler_2d` or `grid_sampler_3d`, by the rank of the input."""
    face = ops.grid_sampler_3d if input.dim() == 5 else ops.grid_sampler_2d
    return face(input, grid, interpolation_mode, padding_mode, align_corners)


max_pool2d = _max_pool(2)
max_pool3d = _max_pool(3)
FUNCTIONS: dict = {
    "grid_sampler": grid_sampler, "conv1d": conv1d, "conv2d": conv2d, "conv3d": conv3d, "conv_transpose1d": conv_transpose1d,
    "conv_transpose2d": conv_transpose2d, "conv_transpose3d": conv_transpose3d,
    "max_pool1d": max_pool1d, "max_pool2d": max_pool2d, "max_pool3d": max_pool3d,
    "max_pool1d_with_indices": max_pool1d_with_indices, "avg_pool1d": avg_pool1d,
    "adaptive_avg_pool1d": adaptive_avg_pool1d, "adaptive_max_pool1d": adaptive_max_pool1d,
    "embedding": embedding, "cosine_similarity": cosine_similarity, "pairwise_distance": pairwise_distance,
}
adaptive_avg_pool3d = _adaptive_avg_pool(3)
NN: dict = {
    "adaptive_avg_pool2d": _adaptive_avg_pool2d, "adaptive_avg_pool3d": adaptive_avg_pool3d, "nll_loss_nd": nll_loss_nd,
    "cross_entropy_loss": cross_entropy_loss, "soft_margin_loss": soft_margin_loss, "one_hot": one_hot, "pad": pad,
}
