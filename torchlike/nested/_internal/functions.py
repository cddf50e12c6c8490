"""Functions of jagged tensors that are no pointwise operators. What is not here is done by its operators, or refused."""

import math

import numpy as np

from torchlike import _api
from torchlike._base import dtypes as dt
from torchlike._record.tensor import Tensor
from torchlike.nested._internal.nested_tensor import NestedTensor, functions, rows_of
from torchlike.nested._internal.ragged import Ragged
from torchlike.nn import functional


def _function(own):
    """Takes the function of that name over, trailing underscore dropped."""
    functions[own.__name__.removesuffix("_")] = own
    return own


def _inner(x, dim, name) -> int:
    """The dimension of the values that `dim`, which is not that of the parts, is."""
    dim = _wrapped(x, dim)
    if dim == 0:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on dim=0")
    return dim - 1


def _wrapped(x, dim) -> int:
    ndim = x.dim()
    if not -ndim <= dim < ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})")
    return dim % ndim


def _new(x, values, ragged=None):
    return NestedTensor(values, x._form, x._ragged_idx if ragged is None else ragged)


# -- padding

@_function
def to_padded_tensor(x, padding, output_size=None, out=None):
    """(parts, longest, *): the parts, `padding` behind them."""
    if x._ragged_idx != 1:
        return to_padded_tensor(x.transpose(1, x._ragged_idx), padding, None).transpose(1, x._ragged_idx)
    values, (rows, there) = x._pieces[0], x._form.places()
    if output_size is not None:
        wide = [(0, 0), (0, max(output_size[1] - rows.shape[1], 0))]
        rows, there = np.pad(rows, wide), np.pad(there, wide)
    filled = _api.cat([values, values.new_full((1, *values.shape[1:]), padding)])
    index = np.where(there, rows, values.shape[0])
    return filled.index_select(0, _api.tensor(index.reshape(-1), dtype=dt.int64)).view(*index.shape, *values.shape[1:])


def _of_padded(padded, x):
    """The jagged tensor of the form of `x` whose padded form this is."""
    return _new(x, rows_of(padded, x._form), 1)


# -- reductions

def _reduced(x, dim, keepdim, name, fill, reduce):
    """What `reduce(tensor, dims, keepdim)` makes of some dimensions; `fill` does not change it."""
    values, at = x._pieces[0], x._ragged_idx
    dims = sorted(_wrapped(x, d) for d in (dim if isinstance(dim, tuple | list) else [dim]))
    if len(dims) == x.dim():
        return _all(x, lambda whole: reduce(whole, list(range(whole.dim())), False))
    if at in dims and 0 in dims:
        return reduce(_tight(x), [d - 1 for d in dims if d], keepdim)
    if at in dims and len(dims) > 1:
        raise RuntimeError(f"{name}(): reducing along a ragged and non-batch dimension is not supported for nested tensors")
    if 0 in dims:
        raise RuntimeError(f"{name}(): reducing along the batch dimension but not the ragged dimension is not supported for "
                           "nested tensors")
    if at in dims:
        return reduce(to_padded_tensor(x, fill), [at], keepdim)
    lost = 0 if keepdim else sum(d < at for d in dims)
    return _new(x, reduce(values, [d - 1 for d in dims], keepdim), at - lost)


def _tight(x) -> Tensor:
    """The values, without gaps between the parts."""
    return x._pieces[0] if x._form.lengths is None else _api.cat(list(x.unbind()), x._ragged_idx - 1)


def _all(x, reduce):
    return reduce(_tight(x))


def _dims(dim):
    return None if dim is None or dim in ((), []) else dim


@_function
def sum_(x, dim=None, keepdim=False, *, dtype=None):
    """The sum over all, or over dimensions."""
    if _dims(dim) is None:
        return _all(x, lambda values: values.sum(dtype=dtype))
    return _reduced(x, dim, keepdim, "sum", 0, lambda t, dims, keep: t.sum(dims, keep, dtype=dtype))


@_function
def mean(x, dim=None, keepdim=False, *, dtype=None):
    """The mean over all, or over dimensions."""
    if _dims(dim) is None:
        return _all(x, lambda values: values.mean(dtype=dtype))
    if not isinstance(dim, tuple | list) and _wrapped(x, dim) == x._ragged_idx:
        total = sum_(x, dim, True, dtype=dtype)
        counts = total.new_tensor(x._form.on_host[1]).view(-1, *[1] * (total.dim() - 1))
        found = total / counts
        return found if keepdim else found.squeeze(_wrapped(x, dim))
    return _reduced(x, dim, keepdim, "mean", 0, lambda t, dims, keep: t.mean(dims, keep, dtype=dtype))


def _one_dim(x, dim, keepdim, name, fill, reduce):
    return _reduced(x, dim, keepdim, name, fill, lambda t, dims, keep: reduce(t, dims[0], keep))


def _lowest(x):
    return -math.inf if x.is_floating_point() else _api.iinfo(x.dtype).min if x.dtype is not dt.bool_ else False


def _highest(x):
    return math.inf if x.is_floating_point() else _api.iinfo(x.dtype).max if x.dtype is not dt.bool_ else True


def _extreme(name, fill):
    """max or min: of all, of two tensors, or along a dimension with indices."""
    def of_nested(x, dim=None, keepdim=False):
        if isinstance(dim, Tensor):
            return getattr(_api, f"{name}imum")(x, dim)
        if dim is None:
            return _all(x, lambda values: getattr(values, name)())
        if _wrapped(x, dim) != x._ragged_idx:
            found = getattr(x._pieces[0], name)(_inner(x, dim, name), keepdim)
            lost = 0 if keepdim or _wrapped(x, dim) > x._ragged_idx else 1
            return type(found)(*(_new(x, each, x._ragged_idx - lost) for each in found))
        return getattr(to_padded_tensor(x, fill(x)), name)(_wrapped(x, dim), keepdim)

    of_nested.__name__ = name
    return of_nested


def _along(name, fill):
    """A reduction of one dimension or of all."""
    def of_nested(x, dim=None, keepdim=False, **options):
        if _dims(dim) is None:
            return _all(x, lambda values: getattr(values, name)(**options))
        return _one_dim(x, dim, keepdim, name, fill(x), lambda t, d, keep: getattr(t, name)(d, keep, **options))

    of_nested.__name__ = name
    return of_nested


for _made in (_extreme("max", _lowest), _extreme("min", _highest), _along("amax", _lowest), _along("amin", _highest),
              _along("argmax", _lowest), _along("argmin", _highest), _along("prod", lambda x: 1),
              _along("any", lambda x: False), _along("all", lambda x: True)):
    _function(_made)


# -- along a dimension, of the same form

def _like_softmax(function, name):
    def of_nested(x, dim=None, *args, dtype=None, **ignored):
        dtype = next((each for each in args if isinstance(each, dt.dtype)), dtype)
        if _wrapped(x, dim) == 0:
            raise RuntimeError(f"{name}(): not supported when reducing across the batch dimension for NestedTensor")
        if _wrapped(x, dim) != x._ragged_idx:
            return _new(x, function(x._pieces[0], _inner(x, dim, name), dtype=dtype))
        at = x._ragged_idx
        first = x if at == 1 else x.transpose(1, at)
        found = _of_padded(function(to_padded_tensor(first, -math.inf), 1, dtype=dtype), first)
        return found if at == 1 else found.transpose(1, at)

    of_nested.__name__ = name
    return of_nested


_function(_like_softmax(functional.softmax, "softmax"))
_function(_like_softmax(functional.log_softmax, "log_softmax"))


# -- shapes

@_function
def transpose(x, dim0, dim1):
    """Two dimensions exchanged, neither that of the parts."""
    a, b = _wrapped(x, dim0), _wrapped(x, dim1)
    if 0 in (a, b) and a != b:
        raise ValueError("Transpose is not supported on the batch dimension for jagged NT")
    if a == b:
        return _new(x, x._pieces[0])
    ragged = {a: b, b: a}.get(x._ragged_idx, x._ragged_idx)
    return _new(x, x._pieces[0].transpose(a - 1, b - 1), ragged)


@_function
def permute(x, *dims):
    """The dimensions in another order; that of the parts stays the first."""
    order = [_wrapped(x, d) for d in (dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims)]
    if order[0] != 0:
        raise ValueError("Permute is not supported on the batch dimension for jagged NT")
    return _new(x, x._pieces[0].permute([d - 1 for d in order[1:]]), order.index(x._ragged_idx))


@_function
def unsqueeze(x, dim):
    """A dimension of one."""
    dim = dim % (x.dim() + 1)
    if dim == 0:
        raise RuntimeError("unsqueeze(): not supported for NestedTensor on dim=0")
    return _new(x, x._pieces[0].unsqueeze(dim - 1), x._ragged_idx + (dim <= x._ragged_idx))


@_function
def squeeze(x, dim=None):
    """Without dimensions of one."""
    if dim is None:
        raise RuntimeError("squeeze(): not supported for NestedTensor without a dim")
    inner = _inner(x, dim, "squeeze")
    if inner + 1 == x._ragged_idx or x._pieces[0].shape[inner] != 1:
        return _new(x, x._pieces[0])
    return _new(x, x._pieces[0].squeeze(inner), x._ragged_idx - (inner + 1 < x._ragged_idx))


@_function
def unflatten(x, dim, sizes):
    """A dimension, not the ragged one, as several."""
    inner = _inner(x, dim, "unflatten")
    if inner + 1 == x._ragged_idx:
        raise RuntimeError("unflatten(): not supported for NestedTensor on the ragged dim")
    return _new(x, x._pieces[0].unflatten(inner, sizes), x._ragged_idx + (inner + 1 < x._ragged_idx) * (len(sizes) - 1))


@_function
def flatten(x, start_dim=0, end_dim=-1):
    """Several dimensions behind that of the parts, without the ragged one, as one."""
    first, last = _inner(x, start_dim, "flatten"), _inner(x, end_dim, "flatten")
    if first <= x._ragged_idx - 1 <= last and first != last:
        raise RuntimeError("flatten(): not supported for NestedTensor on the ragged dim")
    return _new(x, x._pieces[0].flatten(first, last), x._ragged_idx - (last - first) * (last < x._ragged_idx - 1))


@_function
def view(x, *shape):
    """Other sizes behind the ragged dimension, which has -1 or its own size; or another dtype."""
    return _viewed(x, shape, "view")


@_function
def reshape(x, *shape):
    """The same as `view`."""
    return _viewed(x, shape, "reshape")


def _viewed(x, shape, name):
    if len(shape) == 1 and not isinstance(shape[0], int):
        shape = tuple(shape[0])
    ragged = [i for i, size in enumerate(shape) if size == x._form.size or (size == -1 and i == x._ragged_idx)]
    if len(shape) < 2 or shape[0] not in (-1, x._form.count) or len(ragged) != 1 or ragged[0] == 0:
        raise RuntimeError(f"{name}(): cannot view shape {tuple(x.shape)} as {list(shape)}")
    inner = list(shape[1:])
    inner[ragged[0] - 1] = x._pieces[0].shape[x._ragged_idx - 1]
    return _new(x, getattr(x._pieces[0], name)(inner), ragged[0])


@_function
def contiguous(x, *, memory_format=None):
    """Itself, or a copy without gaps."""
    if x.is_contiguous():
        return x
    if x._form.lengths is None:
        return _new(x, x._pieces[0].contiguous())
    at = x._ragged_idx - 1
    values = _api.cat([part.movedim(at, 0) for part in x.unbind()]).contiguous()
    return NestedTensor(values, Ragged.of_lengths(x._form.on_host[1]), 1).transpose(1, x._ragged_idx)


# -- parts

@_function
def chunk(x, chunks, dim=0):
    """Pieces along a dimension, not the ragged one."""
    if _wrapped(x, dim) == x._ragged_idx:
        raise RuntimeError("chunk(): not supported for NestedTensor on ragged dim")
    if _wrapped(x, dim):
        return tuple(_new(x, piece) for piece in x._pieces[0].chunk(chunks, _inner(x, dim, "chunk")))
    parts, each = x.unbind(), -(-x._form.count // chunks)
    return tuple(_joined(parts[i:i + each], x._ragged_idx) for i in range(0, len(parts), each))


def _joined(parts, ragged):
    lengths = [part.shape[ragged - 1] for part in parts]
    return NestedTensor(_api.cat(list(parts), ragged - 1), Ragged.of_lengths(lengths), ragged)


@_function
def split(x, split_size, dim=0):
    """Pieces along a dimension that is neither that of the parts nor the ragged one."""
    inner = _inner(x, dim, "split")
    if inner + 1 == x._ragged_idx:
        raise RuntimeError("split(): not supported for NestedTensor on ragged dim")
    return tuple(_new(x, piece) for piece in x._pieces[0].split(split_size, inner))


@_function
def select(x, dim, index):
    """A part, or one place of another dimension."""
    if _wrapped(x, dim) == 0:
        return x.unbind()[index]
    inner = _inner(x, dim, "select")
    if inner + 1 == x._ragged_idx:
        raise RuntimeError("select(): not supported for NestedTensor on ragged dim")
    return _new(x, x._pieces[0].select(inner, index), x._ragged_idx - (inner + 1 < x._ragged_idx))


def getitem(x, index):
    """``x[i]``, ``x[..., i]`` and ``x[..., a:b]``."""
    if isinstance(index, int):
        return select(x, 0, index)
    index = index if isinstance(index, tuple) else (index,)
    if index and index[0] is Ellipsis and len(index) == 2 and x._ragged_idx < x.dim() - 1:
        return _new(x, x._pieces[0][index])
    raise RuntimeError("slice(): not supported for NestedTensor on dim=0")


functions["__getitem__"] = getitem


@_function
def cat(tensors, dim=0):
    """Tensors of one form side by side."""
    first = next(x for x in tensors if isinstance(x, NestedTensor))
    inner = _inner(first, dim, "cat")
    return _new(first, _api.cat([x._matching(first, "cat")[0] if isinstance(x, NestedTensor) else first._dense(x)[0]
                                 for x in tensors], inner))


@_function
def stack(tensors, dim=0):
    """Tensors of one form in a new dimension."""
    return cat([unsqueeze(x, dim) if dim % (x.dim() + 1) else _inner(x, 0, "stack") for x in tensors], dim)


# -- layers

@_function
def linear(x, weight, bias=None):
    """`nn.functional.linear` of each part."""
    return _new(x, functional.linear(x._pieces[0], weight, bias))


@_function
def layer_norm(x, normalized_shape, weight=None, bias=None, eps=1e-5):
    """`nn.functional.layer_norm` over dimensions behind the ragged one."""
    if len(normalized_shape) > x.dim() - 1 - x._ragged_idx:
        raise RuntimeError("layer_norm(): normalizing over ragged dim not supported for nested tensors")
    return _new(x, functional.layer_norm(x._pieces[0], normalized_shape, weight, bias, eps))


@_function
def rms_norm(x, normalized_shape, weight=None, eps=None):
    """`nn.functional.rms_norm` over dimensions behind the ragged one."""
    if len(normalized_shape) > x.dim() - 1 - x._ragged_idx:
        raise RuntimeError("rms_norm(): normalizing over ragged dim not supported for nested tensors")
    return _new(x, functional.rms_norm(x._pieces[0], normalized_shape, weight, eps))


@_function
def dropout(x, p=0.5, training=True, inplace=False):
    """`nn.functional.dropout`."""
    return _new(x, functional.dropout(x._pieces[0], p, training, inplace))


@_function
def embedding(input, weight, *args, **options):
    """`nn.functional.embedding` of nested indices."""
    return _new(input, functional.embedding(input._pieces[0], weight, *args, **options))


@_function
def matmul(x, other):
    """With a matrix for all parts, or one for each."""
    if not isinstance(x, NestedTensor) or isinstance(other, NestedTensor):
        raise RuntimeError(f"matmul(): not supported between inputs of shapes {tuple(x.shape)} and {other.shape}")
    if other.dim() == 2 and x._ragged_idx < x.dim() - 1:
        return _new(x, x._pieces[0].matmul(other))
    return bmm(x, other)


functions["__matmul__"] = matmul


@_function
def bmm(x, mat2):
    """A product with a matrix for each part."""
    if not isinstance(x, NestedTensor) or x.dim() != 3 or isinstance(mat2, NestedTensor) or x._ragged_idx != 1:
        raise RuntimeError("bmm(): only supported of a nested tensor of 3 dimensions with a dense one")
    return _of_padded(to_padded_tensor(x, 0).bmm(mat2), x)


@_function
def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
                                 enable_gqa=False):
    """Attention of each part for itself. The ragged dimension is the last but one."""
    if attn_mask is not None or not all(isinstance(x, NestedTensor) and x.dim() == 4 and x._ragged_idx == 2
                                        for x in (query, key, value)):
        raise RuntimeError("No viable backend for scaled_dot_product_attention was found.")
    parts = zip(query.unbind(), key.unbind(), value.unbind(), strict=True)
    found = [functional.scaled_dot_product_attention(q[None], k[None], v[None], None, dropout_p, is_causal, scale=scale,
                                                     enable_gqa=enable_gqa)[0] for q, k, v in parts]
    return _new(query, _api.cat(found, 1)) if query._form.lengths is None else _joined(found, 2)


# -- others

def _like(name):
    """``zeros_like`` and its kind."""
    def of_nested(x, *args, layout=None, **options):
        return _new(x, getattr(_api, name)(x._pieces[0], *args, **options))

    of_nested.__name__ = name
    return of_nested


for _made in map(_like, ["zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like"]):
    _function(_made)



@_function
def item(x):
    """The one value."""
    return x._pieces[0].item()


@_function
def equal(x, other):
    """Whether form and values agree."""
    return isinstance(other, NestedTensor) and x.shape == other.shape and _api.equal(x._pieces[0], other._pieces[0])
