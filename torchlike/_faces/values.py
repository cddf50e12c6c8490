"""Where the user looks at values: item, numpy, print, bool. Each runs the trace."""

import copy

import numpy as np

from torchlike import _printing
from torchlike import dtypes as dt
from torchlike._ops import promotion
from torchlike._tensor import LEAF, Tensor
from torchlike._trace.leaf import leaf, to_numpy
from torchlike._trace.trace import force


def item(self):
    """The one value as a Python number. https://pytorch.org/docs/stable/generated/torch.Tensor.item.html"""
    if self._cell.aval.numel != 1:
        raise RuntimeError(f"a Tensor with {self._cell.aval.numel} elements cannot be converted to Scalar")
    return np.asarray(force(self._cell)).reshape(()).item()


def tolist(self):
    """Nested lists of Python numbers, or one number."""
    return np.asarray(force(self._cell)).tolist()


def numpy(self, *, force=False):
    """The values as a numpy array. A copy: unlike PyTorch, writing to it does not change the tensor.
    https://pytorch.org/docs/stable/generated/torch.Tensor.numpy.html"""
    if not force:
        if self._edge is not None:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self._cell.aval.device.type != "cpu":
            raise TypeError(f"can't convert {self._cell.aval.device} device type tensor to numpy. Use Tensor.cpu() to "
                            "copy the tensor to host memory first.")
        if self._cell.aval.dtype is dt.bfloat16:
            raise TypeError("Got unsupported ScalarType BFloat16")
    return to_numpy(self)


def _array(self, dtype=None, copy=None):
    found = numpy(self)
    return found if dtype is None else found.astype(dtype)


def _bool(self):
    numel = self._cell.aval.numel
    if numel == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    if numel > 1:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    return bool(item(self))


def _number(kind):
    def convert(self):
        if self._cell.aval.numel != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        found = item(self)
        return kind(found.real if isinstance(found, complex) and kind is not complex else found)

    return convert


def _index(self):
    aval = self._cell.aval
    if aval.dtype.category > dt.INT or aval.numel != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(item(self))


def _len(self):
    shape = self._cell.aval.shape
    if not shape:
        raise TypeError("len() of a 0-d tensor")
    return shape[0]


def _iter(self):
    if not self._cell.aval.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


def _contains(self, element):
    if isinstance(element, Tensor | int | float | complex):
        return bool((self == element).any())
    raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")


def _format(self, spec):
    if self._cell.aval.ndim == 0 and type(self) is Tensor:
        return item(self).__format__(spec)
    return object.__format__(self, spec)


def _repr(self, *, tensor_contents=None):
    aval = self._cell.aval
    suffixes = []
    if aval.device.type != "cpu":
        suffixes.append(f"device='{aval.device}'")
    grad_fn = self.grad_fn
    tail = []
    if grad_fn is not None:
        tail.append(f"grad_fn=<{grad_fn.name()}>")
    elif self._edge is LEAF:
        tail.append("requires_grad=True")
    text = _printing.tensor_str(np.asarray(force(self._cell)), dtype_name=aval.dtype.name,
                                default_dtype_name=promotion.default_float[0].name, suffixes=suffixes + tail,
                                prefix="tensor(")
    if not self._is_param:
        return text
    return "Parameter containing:\n" + text


def _deepcopy(self, memo):
    if self._edge is not None and self._edge is not LEAF:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at "
                           "the moment.  If you were attempting to deepcopy a module, this may be because of a "
                           "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001")
    found = memo.get(id(self))
    if found is not None:
        return found
    made = object.__new__(type(self))
    made._cell = leaf(force(self._cell), self._cell.aval.device)._cell
    made._edge = self._edge
    memo[id(self)] = made
    for name, value in self.__dict__.items():
        if name not in ("_cell", "_edge", "_view", "_acc", "_grad", "_hooks", "_post_hooks"):
            made.__dict__[name] = copy.deepcopy(value, memo)
    if self._grad is not None:
        made._grad = copy.deepcopy(self._grad, memo)
    return made


def rebuild(kind, array, requires_grad, attributes):
    """A tensor from its pickled parts."""
    made = object.__new__(kind)
    made._cell = leaf(array)._cell
    made._edge = LEAF if requires_grad else None
    made.__dict__.update(attributes)
    return made


def _reduce(self, protocol):
    if self._edge is not None and self._edge is not LEAF:
        raise RuntimeError("cannot pickle a tensor that is part of a graph: call .detach() first")
    kept = {k: v for k, v in self.__dict__.items() if k not in
            ("_cell", "_edge", "_view", "_acc", "_grad", "_hooks", "_post_hooks")}
    return rebuild, (type(self), to_numpy(self), self._edge is LEAF, kept)


def _dlpack(self, **options):
    return force(self._cell).__dlpack__(**options)


def _tensor_to_jax(self):
    return force(self._cell)


METHODS: dict = {
    "item": item, "tolist": tolist, "numpy": numpy, "__array__": _array, "__bool__": _bool,
    "__float__": _number(float), "__int__": _number(int), "__complex__": _number(complex),
    "__index__": _index, "__len__": _len, "__iter__": _iter,
    "__contains__": _contains, "__format__": _format, "__repr__": _repr, "__str__": _repr,
    "__hash__": lambda self: id(self), "__deepcopy__": _deepcopy, "__reduce_ex__": _reduce,
    "__dlpack__": _dlpack, "__dlpack_device__": lambda self: force(self._cell).__dlpack_device__(),
    "__jax_array__": _tensor_to_jax,
}
