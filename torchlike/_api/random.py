"""Random tensors, drawn by the host's generator and entered as inputs.

https://pytorch.org/docs/stable/torch.html#random-sampling
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from torchlike._api.arguments import varargs
from torchlike._api.complex_numbers import refuse_complex
from torchlike._api.creation import chosen_device, empty, empty_like, finished
from torchlike._api.from_data import as_dtype
from torchlike._api.generated import ops
from torchlike._api.options import check_options
from torchlike._api.out import made_into, written
from torchlike._api.random_bounds import check_bound, check_continuous, check_kernel, checked_integers, integer_bounds
from torchlike._api.types import DeviceLike
from torchlike._api.writing import overwrite
from torchlike._base import dtypes as dt
from torchlike._base.dtypes import dtype
from torchlike._base.settings import memory_format, preserve_format
from torchlike._compile import avals
from torchlike._compile.avals import row_major
from torchlike._compile.backends.registry import backend_of
from torchlike._compile.jax_private import own_work
from torchlike._modes import intercept, vmap_levels
from torchlike._ops import promotion
from torchlike._ops.geometry import broadcast
from torchlike._ops.table import node_name
from torchlike._random.generator import Generator, draw
from torchlike._record.bind import number_of
from torchlike._record.cell import storage_of
from torchlike._record.inplace import copy_of
from torchlike._record.leaf import leaf, to_numpy
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike._record.wrong_calls import judged
from torchlike.autograd.grad_mode import no_grad


def _count(shape) -> int:
    """How many numbers to draw for a tensor of this shape."""
    count = math.prod(vmap_levels.shape()) * math.prod(shape)
    if count >= 1 << 45:
        avals.check_memory(avals.aval((count,), dt.float32))
    return count


def _order(form):
    """The dimensions as they follow each other in the memory that PyTorch fills; None where that is their own order."""
    if form is None or vmap_levels.shape() or all(
            n == 1 or s == r for n, s, r in zip(form.shape, form.strides, row_major(form.shape), strict=True)):
        return None
    return sorted(range(form.ndim), key=lambda d: -form.strides[d])


def _fresh(flat, shape, dtype, device, requires_grad, form=None):
    place = chosen_device(device)
    if not backend_of(place).has_values:
        return empty(tuple(shape), dtype=dtype, device=place, requires_grad=requires_grad)
    flat = flat if isinstance(flat, jax.Array) else np.asarray(flat)  # a frame's source draws jax arrays
    with own_work():
        array = _placed(flat.astype(dtype.np), tuple(shape), form)
    if vmap_levels.shape():
        array = vmap_levels.pick(array)
    return finished(leaf(array, place), requires_grad)


def _placed(flat, shape, form):
    """Numbers in the order in which they were drawn, as PyTorch writes them into memory of an Aval."""
    order = _order(form)
    if order is None:
        return flat.reshape(vmap_levels.shape() + shape)
    return flat.reshape([shape[d] for d in order]).transpose(np.argsort(order))


def _float(dtype):
    return promotion.default.dtype if dtype is None else dtype


def rand(*args: Any, size: Any = None, generator: Generator | None = None, out: Tensor | None = None,
         dtype: dtype | None = None, device: DeviceLike | None = None, requires_grad: bool = False, layout=None,
         pin_memory=False) -> Tensor:
    """Uniform in [0, 1). https://pytorch.org/docs/stable/generated/torch.rand.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    sizes = args if size is None else (size,)
    if out is not None:
        return made_into(out, "rand", _rand, *sizes, generator=generator, dtype=dtype, layout=layout, device=device,
                         requires_grad=requires_grad)
    return _rand(*sizes, generator=generator, dtype=dtype, device=device, requires_grad=requires_grad)


@intercept.named("rand.default")
def _rand(*size, generator, dtype, device=None, requires_grad=False):
    return _sample("uniform", varargs(size), _float(dtype), device, requires_grad, generator, 0.0, 1.0)


def randn(*args: Any, size: Any = None, generator: Generator | None = None, out: Tensor | None = None,
          dtype: dtype | None = None, device: DeviceLike | None = None, requires_grad: bool = False, layout=None,
          pin_memory=False) -> Tensor:
    """Standard normal. https://pytorch.org/docs/stable/generated/torch.randn.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    sizes = args if size is None else (size,)
    if out is not None:
        return made_into(out, "randn", _randn, *sizes, generator=generator, dtype=dtype, layout=layout, device=device,
                         requires_grad=requires_grad)
    return _randn(*sizes, generator=generator, dtype=dtype, device=device, requires_grad=requires_grad)


@intercept.named("randn.default")
def _randn(*size, generator, dtype, device=None, requires_grad=False):
    return _sample("normal", varargs(size), _float(dtype), device, requires_grad, generator, 0.0, 1.0)


def _sample(name, shape, dtype, device, requires_grad, generator, *args, form=None):
    if any(s < 0 for s in shape):
        bad = next(s for s in shape if s < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {bad}: {list(shape)}")
    as_dtype(dtype, name)
    place = chosen_device(device)
    if name == "normal" and _order(form) is not None:
        args = (*args, False)  # PyTorch draws blocks of 16 only where it can write them at once
    if dtype.is_complex:
        real = dtype.to_real()
        if name == "normal":
            args = (args[0], args[1] * math.sqrt(0.5), *args[2:])
        flat = draw(name, generator, 2 * _count(shape), real.name, *args, device=place)
        with own_work():
            flat = flat[0::2] + 1j * flat[1::2]
    elif name == "geometric" and not dtype.is_floating_point:
        flat = draw(name, generator, _count(shape), "float64", *args, device=place)
    elif not dtype.is_floating_point or dtype in dt.FLOAT8:
        kind = "uniform" if name == "uniform" else "normal_kernel_cpu"
        raise NotImplementedError(f'"{kind}" not implemented for \'{dtype.scalar_name}\'' if name == "normal" else
                                  f'"check_uniform_bounds" not implemented for \'{dtype.scalar_name}\'')
    else:
        flat = draw(name, generator, _count(shape), dtype.name, *args, device=place)
    return _fresh(flat, shape, dtype, place, requires_grad, form)


@judged
def randint(*args: Any, low: int = 0, high: int | None = None, size: int | Sequence[int] | None = None,
            generator: Generator | None = None, out: Tensor | None = None, dtype: dtype | None = None,
            device: DeviceLike | None = None, requires_grad: bool = False, layout=None, pin_memory=False) -> Tensor:
    """Integers in [low, high). https://pytorch.org/docs/stable/generated/torch.randint.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    given = {"low": low, "high": high, "size": size, "generator": generator}
    if out is not None:
        return made_into(out, "randint", _randint, *args, **given, dtype=dtype, layout=layout, device=device,
                         requires_grad=requires_grad)
    return _randint(*args, **given, dtype=dtype, device=device, requires_grad=requires_grad)


@intercept.named("randint.default")
def _randint(*args, low, high, size, generator, dtype, device=None, requires_grad=False):
    args = list(args)
    if size is None:
        size = args.pop()
    if len(args) == 2:
        low, high = args
    elif len(args) == 1 and high is None:
        high = args[0]
    elif len(args) == 1:
        low = args[0]
    return _integers(low, high, tuple(size), generator, dt.int64 if dtype is None else dtype, device, requires_grad)


def _integers(low, high, size, generator, dtype, device, requires_grad=False, form=None):
    as_dtype(dtype, "randint")
    low, high = integer_bounds("randint", low, high)
    low, high = checked_integers(low, high, dtype)
    place = chosen_device(device)
    flat = draw("randint", generator, _count(size), low, high, dtype.name, device=place)
    return _fresh(flat, size, dtype, place, requires_grad, form)


@judged
def randperm(n: int, *, generator: Generator | None = None, out: Tensor | None = None, dtype: dtype | None = None,
             device: DeviceLike | None = None, requires_grad: bool = False, layout=None, pin_memory=False) -> Tensor:
    """A random permutation of 0..n-1. https://pytorch.org/docs/stable/generated/torch.randperm.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    if out is not None:
        return made_into(out, "randperm", _randperm, n, generator=generator, dtype=dtype, layout=layout, device=device,
                         requires_grad=requires_grad)
    return _randperm(n, generator=generator, dtype=dtype, device=device, requires_grad=requires_grad)


@intercept.named("randperm.default")
def _randperm(n, *, generator, dtype, device=None, requires_grad=False):
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    dtype = dt.int64 if dtype is None else dtype
    if dtype.category not in (dt.INT, dt.FLOAT) or dtype in dt.NAMES_ONLY:
        raise NotImplementedError(f"\"randperm\" not implemented for '{dtype.scalar_name}'")
    place = chosen_device(device)
    orders = [draw("randperm", generator, n, device=place) for _ in range(_count(()))]
    return _fresh(orders[0] if len(orders) == 1 else np.stack(orders), (n,), dtype, place, requires_grad)


@intercept.named("rand_like.default")
def rand_like(input: Tensor, *, dtype: dtype | None = None, device: DeviceLike | None = None, requires_grad: bool = False,
              layout=None, pin_memory: bool = False, memory_format: memory_format | None = None,
              generator: Generator | None = None) -> Tensor:
    """`rand` in the shape, dtype and device of `input`.
    https://pytorch.org/docs/stable/generated/torch.rand_like.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _sample_like(input, "uniform", dtype, device, requires_grad, memory_format, generator)


@intercept.named("randn_like.default")
def randn_like(input: Tensor, *, dtype: dtype | None = None, device: DeviceLike | None = None, requires_grad: bool = False,
               layout=None, pin_memory: bool = False, memory_format: memory_format | None = None,
               generator: Generator | None = None) -> Tensor:
    """`randn` in the shape, dtype and device of `input`.
    https://pytorch.org/docs/stable/generated/torch.randn_like.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _sample_like(input, "normal", dtype, device, requires_grad, memory_format, generator)


def _like(input, sample, dtype, device, requires_grad, memory_format) -> Tensor:
    """Numbers in the form of `input`, as ``sample(form, dtype, device)`` draws them for memory of an Aval."""
    aval = input._cell.aval
    if memory_format in (None, preserve_format) and aval.strides == aval.plain.strides:
        made = sample(aval, aval.dtype if dtype is None else dtype, aval.device if device is None else device)
    else:
        made = empty_like(input, dtype=dtype, device=device, memory_format=memory_format)
        overwrite(made, sample(made._cell.aval, made.dtype, made.device), "")
    return finished(made, requires_grad)


def _sample_like(input, name, dtype, device, requires_grad, memory_format, generator):
    def sample(form, dtype, device):
        return _sample(name, tuple(form.shape), dtype, device, False, generator, 0.0, 1.0, form=form)
    return _like(input, sample, dtype, device, requires_grad, memory_format)


@judged
def randint_like(input: Tensor, *args: Any, low: int = 0, high: int | Tensor | None = None, dtype: dtype | None = None,
                 device: DeviceLike | None = None, requires_grad: bool = False, layout=None, pin_memory: bool = False,
                 memory_format: memory_format | None = None, generator: Generator | None = None) -> Tensor:
    """`randint` in the shape of `input`. https://pytorch.org/docs/stable/generated/torch.randint_like.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    first, last = args if len(args) == 2 else (low, args[0] if args else high)
    if isinstance(last, Tensor):
        if last.dim() or not backend_of(last.device).in_host_memory:
            raise RuntimeError("high must be a scalar tensor and on CPU")
        last = int(last.item())  # pyrefly: ignore[bad-argument-type] - PyTorch takes no complex number either

    def sample(form, dtype, device):
        return _integers(first, last, tuple(form.shape), generator, dtype, device, form=form)
    return _like(input, sample, dtype, device, requires_grad, memory_format)


@judged
def normal(mean: Tensor | float, std: float | Tensor = 1.0, size: int | Sequence[int] | None = None, *,
           generator: Generator | None = None, out: Tensor | None = None, dtype: dtype | None = None, layout=None,
           device: DeviceLike | None = None, pin_memory=False, requires_grad: bool = False) -> Tensor:
    """Normal with the given means and standard deviations.

    One of `mean` and `std` is a tensor (the result has the dtype of `mean`, if that is one), or `size` is given. The shape
    of `out` takes part in the broadcasting of a tensor `mean` beside a number.
    TypeError for other combinations, RuntimeError for a negative `std`.
    https://pytorch.org/docs/stable/generated/torch.normal.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    if out is None:
        return _normal(mean, std, size, generator, dtype, device, requires_grad)
    if isinstance(mean, Tensor) and not isinstance(std, Tensor):
        mean = mean.expand(broadcast(mean.shape, out.shape))
    if size is not None:
        return made_into(out, "normal", _normal, mean, std, size, generator, dtype=dtype, layout=layout, device=device,
                         requires_grad=requires_grad)
    return written(out, "normal", (), _normal, mean, std, size, generator, dtype, device, drawn=out.dtype)


def _normal_kind(x) -> str:
    return "Tensor" if isinstance(x, Tensor) else type(x).__name__


def _check_deviation(std):
    """RuntimeError for a negative standard deviation; under vmap a tensor has no values to look at."""
    if not isinstance(std, Tensor):
        if not std >= 0:  # nan neither
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
        return
    if std.is_complex():
        raise RuntimeError("normal expects standard deviation to be non-complex")
    if std.numel() and not vmap_levels.batched(std) and not (to_numpy(std) >= 0).all():
        raise RuntimeError("normal expects all elements of std >= 0.0")


def _normal(mean, std, size, generator, dtype, device, requires_grad=False, drawn=None):
    if isinstance(size, Sequence):
        mean, std = number_of(mean), number_of(std)
    tensors = tuple(x for x in (mean, std) if isinstance(x, Tensor))
    if bool(tensors) != (size is None) or isinstance(size, int):
        kinds = ", ".join([_normal_kind(mean), _normal_kind(std), *([] if size is None else [type(size).__name__])])
        raise TypeError(f"normal() received an invalid combination of arguments - got ({kinds}), but expected one of:\n"
                        " * (Tensor mean, Tensor std)\n * (Tensor mean, float std = 1)\n * (float mean, Tensor std)\n"
                        " * (float mean, float std, tuple of ints size)")
    _check_deviation(std)
    if size is not None:
        return _sample("normal", tuple(size), _float(dtype), device, requires_grad, generator, float(mean), float(std))
    refuse_complex("normal", *tensors)
    vmap_levels.check_given(mean, std)
    shape = tensors[0].shape if len(tensors) == 1 else broadcast(mean.shape, std.shape)
    drawn = tensors[0].dtype if drawn is None else drawn
    noise = _sample("normal", tuple(shape), drawn, None, False, generator, 0.0, 1.0)
    with no_grad():
        made = noise * std + mean
    node = 1 + isinstance(std, Tensor) + (len(tensors) == 2)
    return ops._drawn(made.to(drawn), tensors, f"NormalBackward{node}")


@intercept.named("bernoulli.default")
def bernoulli(input: Tensor, p: float | Tensor | None = None, *, generator: Generator | None = None) -> Tensor:
    """1 with the probability that `input` (or `p`) says, in the shape and dtype of `input`.

    RuntimeError for probabilities outside [0, 1]. The gradient of `input` is zero; with `p` there is none, as in PyTorch.
    https://pytorch.org/docs/stable/generated/torch.bernoulli.html"""
    vmap_levels.check_given(input)
    aval = input._cell.aval
    if p is None:
        _check_chances(input)
    elif not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    elif aval.dtype.is_complex:
        raise NotImplementedError(f"\"bernoulli_scalar_cpu_\" not implemented for '{aval.dtype.scalar_name}'")
    made = _coins(input if p is None else float(p), aval.plain, generator)
    return ops._drawn(made, (input,), "BernoulliBackward0") if p is None else ops._drawn_apart(made, input)


def bernoulli_function(input: Tensor, p: float | Tensor | None = None, *, generator: Generator | None = None,
                       out: Tensor | None = None) -> Tensor:
    """`bernoulli`, into `out` if there is one."""
    if out is None:
        return bernoulli(input, p, generator=generator)
    if out.is_complex():
        raise NotImplementedError(f'"bernoulli_tensor_cpu_self_" not implemented for \'{out.dtype.scalar_name}\'')
    return written(out, "bernoulli", (), lambda: bernoulli(input, p, generator=generator).to(out.dtype))


def _check_chances(p):
    if not p.is_floating_point():
        kind = "self" if p.is_complex() else "p"
        raise NotImplementedError(f"\"bernoulli_tensor_cpu_{kind}_\" not implemented for '{p.dtype.scalar_name}'")
    if not vmap_levels.batched(p):
        values = to_numpy(p)
        if not ((values >= 0) & (values <= 1)).all():
            raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
                               "improved?  If so, please report an enhancement request to PyTorch.)")


def _coins(p, form, generator):
    """1 with probability `p`, a number or a tensor, for memory of an Aval."""
    shape, dtype, device = tuple(form.shape), form.dtype, form.device
    if not isinstance(p, Tensor):
        flat = draw("bernoulli", generator, _count(shape), p, device=device)
    elif vmap_levels.batched(p):
        chances = _sample("uniform", shape, dt.float64, device, False, generator, 0.0, 1.0)
        return (chances < p.detach()).to(dtype)
    else:
        chances, order = np.broadcast_to(to_numpy(p), vmap_levels.shape() + shape), _order(form)
        flat = draw("bernoulli_tensor", generator, (chances if order is None else chances.transpose(order)).reshape(-1),
                    device=device)
    return _fresh(flat, shape, dtype, device, False, form)


@judged
@intercept.named("multinomial.default")
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None,
                out: Tensor | None = None) -> Tensor:
    """Indices drawn by the weights in each row.
    https://pytorch.org/docs/stable/generated/torch.multinomial.html"""
    if out is not None:
        return written(out, "multinomial", (), multinomial, input, num_samples, replacement, generator=generator)
    vmap_levels.check_given(input)
    _check_weights(input, num_samples, replacement)
    if vmap_levels.batched(input):
        return _choices(input.detach(), num_samples, replacement, generator)
    probs = to_numpy(input)
    rows = np.broadcast_to(probs, vmap_levels.shape() + probs.shape).reshape(-1, probs.shape[-1])
    _check_probabilities(rows.astype(np.float64), replacement)
    found = draw("multinomial", generator, rows, num_samples, replacement, device=input._cell.aval.device)
    shape = (*probs.shape[:-1], num_samples)
    return _fresh(found, shape, dt.int64, input._cell.aval.device, False)


def _check_weights(x, count, replacement):
    aval = x._cell.aval
    if not 0 < aval.ndim <= 2:
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if not aval.dtype.is_floating_point:
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {aval.dtype.scalar_name}")

    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and count > aval.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if aval.shape[-1] > 1 << 24:
        raise RuntimeError("number of categories cannot exceed 2^24")


def _check_probabilities(rows, replacement):
    broken, invalid = ~np.isfinite(rows), "invalid multinomial distribution"
    if not replacement and ((rows < 0) | broken).any():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if ((rows < 0) & ~broken).any() or (rows == -np.inf).any():
        raise RuntimeError(f"{invalid} (encountering probability entry < 0)")
    if broken.any():
        raise RuntimeError(f"{invalid} (encountering probability entry = infinity or NaN)")
    if (rows.sum(-1) <= 0).any():
        raise RuntimeError(f"{invalid} (sum of probabilities <= 0)")


def _choices(weights, num_samples, replacement, generator):
    """`multinomial` of weights whose values are not known here: by their running sums, or by a race."""
    if not replacement:
        times = _sample("exponential", tuple(weights.shape), weights.dtype, None, False, generator, 1.0)
        return (weights / times).topk(num_samples)[1]
    ends = weights.cumsum(-1)
    at = _sample("uniform", (*weights.shape[:-1], num_samples), weights.dtype, None, False, generator, 0.0, 1.0)
    return ((at * ends[..., -1:])[..., None] >= ends[..., None, :-1]).sum(-1)


# -- in place

def _check_written(self, name) -> None:
    """Whether the transforms that are running allow it."""
    if state.thread.frames:
        vmap_levels.check_captured(name, storage_of(self._cell))
        vmap_levels.check_written(self)


def _rewrite(self, value):
    """Give `self` numbers that were drawn before."""
    overwrite(self, copy_of(value), "RandomBackward0")
    return self


def _redraw(self, name, generator, *values) -> Tensor:
    """Overwrite with numbers of the distribution `name`."""
    aval = self._cell.aval
    _check_written(self, f"{name}_")
    numbers = [float(number_of(value)) for value in values]
    made = _sample(name, tuple(aval.shape), aval.dtype, aval.device, False, generator, *numbers, form=aval)
    overwrite(self, made, node_name(name))
    return self


@intercept.named("uniform_.default", _rewrite)
def uniform_(self: Tensor, *bounds: float, to: float = 1.0, generator: Generator | None = None, **start: float) -> Tensor:
    """Overwrite with numbers that are uniform in [from, to): ``uniform_()``, ``uniform_(from, to)``.
    https://pytorch.org/docs/stable/generated/torch.Tensor.uniform_.html"""
    low, high = (*bounds, *(start.get("from", 0.0), to)[len(bounds):])  # `from` is no name in Python
    check_kernel("check_uniform_bounds", self._cell.aval.dtype, dt.BOOL, dt.INT)
    for word, bound in (("from", low), ("to", high)):
        check_bound(word, bound, self._cell.aval.dtype)
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}")
    return _redraw(self, "uniform", generator, low, high)


@intercept.named("normal_.default", _rewrite)
def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Overwrite with normal numbers. https://pytorch.org/docs/stable/generated/torch.Tensor.normal_.html"""
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    return _redraw(self, "normal", generator, mean, std)


@intercept.named("exponential_.default", _rewrite)
def exponential_(self: Tensor, lambd: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Overwrite with exponential numbers of the rate `lambd`.
    https://pytorch.org/docs/stable/generated/torch.Tensor.exponential_.html"""
    _check_positive("exponential_", "lambda", lambd)
    check_continuous("Exponential", self._cell.aval.dtype.scalar_name, self._cell.aval.dtype)
    return _redraw(self, "exponential", generator, lambd)


@intercept.named("log_normal_.default", _rewrite)
def log_normal_(self: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None) -> Tensor:
    """Overwrite with numbers whose logarithms are normal.
    https://pytorch.org/docs/stable/generated/torch.Tensor.log_normal_.html"""
    _check_positive("log_normal_", "std", std)
    check_kernel("log_normal_cpu", self._cell.aval.dtype, dt.BOOL, dt.INT, dt.COMPLEX)
    return _redraw(self, "log_normal", generator, mean, std)


@intercept.named("cauchy_.default", _rewrite)
def cauchy_(self: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Overwrite with numbers of the Cauchy distribution.
    https://pytorch.org/docs/stable/generated/torch.Tensor.cauchy_.html"""
    _check_positive("cauchy_", "sigma", sigma)
    check_continuous("Cauchy", self._cell.aval.dtype.cpp_name, self._cell.aval.dtype)
    return _redraw(self, "cauchy", generator, median, sigma)


@judged
@intercept.named("geometric_.default", _rewrite)
def geometric_(self: Tensor, p: float = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Overwrite with numbers of trials until one of probability `p` succeeds.
    https://pytorch.org/docs/stable/generated/torch.Tensor.geometric_.html"""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    check_kernel("geometric_cpu", self._cell.aval.dtype, dt.BOOL, dt.COMPLEX)
    return _redraw(self, "geometric", generator, p)


def _check_positive(name, called, value):
    if not value > 0:  # nan neither
        raise RuntimeError(f"{name} expects {called} > 0.0, but found {called}={value:g}")


@intercept.named("bernoulli_.float", _rewrite)
def bernoulli_(self: Tensor, p: Tensor | float = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Overwrite with draws of probability `p` (a number or a tensor)."""
    aval = self._cell.aval
    if not isinstance(p, Tensor):
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
        p = float(p)
        check_kernel("bernoulli_scalar_cpu_", aval.dtype, dt.COMPLEX)
    else:
        check_kernel("bernoulli_tensor_cpu_self_", aval.dtype, dt.COMPLEX)
        check_kernel("bernoulli_tensor_cpu_p_", p._cell.aval.dtype, dt.INT)
        vmap_levels.check_given(p)
    _check_written(self, "bernoulli_.Tensor" if isinstance(p, Tensor) else "bernoulli_.float")
    overwrite(self, _coins(p, aval, generator),
              f"BernoulliBackward{1 if isinstance(p, Tensor) else 2}")
    return self


@intercept.named("random_.default", _rewrite)
def random_(self: Tensor, *bounds: Any, to: int | None = None, generator: Generator | None = None, **start: int) -> Tensor:
    """Overwrite with integers: ``random_()``, ``random_(to)``, ``random_(from, to)``."""
    aval = self._cell.aval
    bounds = (*start.values(), *bounds, *(() if to is None else (to,)))  # from= is no name in Python
    _check_written(self, "random_" if not bounds else "random_.to" if len(bounds) == 1 else "random_.from")
    if bounds:
        low, high = [0, *integer_bounds("random_", *bounds)][-2:]
        low, high = checked_integers(low, high, aval.dtype)
        flat = draw("randint", generator, _count(aval.shape), low, high, "int64", device=aval.device)
    else:
        check_kernel("random_kernel_cpu", aval.dtype, dt.COMPLEX, *((dt.FLOAT,) if aval.dtype in dt.FLOAT8 else ()))
        flat = draw("random_", generator, _count(aval.shape), aval.dtype.name, device=aval.device)
    made = _fresh(flat, tuple(aval.shape), aval.dtype, aval.device, False, aval)
    overwrite(self, made, f"RandomBackward{2 - len(bounds)}")
    return self


FUNCTIONS: dict = {
    "rand": rand, "randn": randn, "randint": randint, "randperm": randperm, "randint_like": randint_like,
    "normal": normal,
    "rand_like": rand_like, "randn_like": randn_like,
    "bernoulli": bernoulli_function, "multinomial": multinomial,
}
METHODS: dict = {
    "uniform_": uniform_,
    "normal_": normal_,
    "exponential_": exponential_,
    "log_normal_": log_normal_,
    "cauchy_": cauchy_,
    "geometric_": geometric_,
    "bernoulli_": bernoulli_, "random_": random_, "bernoulli": bernoulli, "multinomial": multinomial,
}
