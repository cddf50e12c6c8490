"""`torch.func.vmap`: `jax.vmap` of functions of Tensors.
https://pytorch.org/docs/stable/generated/torch.func.vmap.html
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._base.structure import flatten, form_of, spread, unflatten
from torchlike._modes import vmap_levels
from torchlike._modes.transform import arrays_of, call
from torchlike._ops.table import ROWS
from torchlike._random import generator
from torchlike._record.bind import bind
from torchlike._record.cell import was_written
from torchlike._record.facade import trace_of
from torchlike._record.inplace import inplace
from torchlike._record.tensor import Tensor
from torchlike._record.trace import force, state
from torchlike._record.tracers import tensor_of


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """A function that applies a function to every slice of its inputs, by `jax.vmap`. Values are not known inside: `item`
    and branches on them raise RuntimeError.

    Args:
        func: the function; returns Tensors in any containers.
        in_dims: the dimension that is sliced: an int for all inputs, or a nested tuple in their form. None means not at
            all.
        out_dims: where the dimension is in the results, in the same way.
        randomness: "error", "same" for one draw for all slices, or "different".
        chunk_size: how many slices to take at a time; None means all.

    Returns:
        a function of the same arguments; ValueError where dimensions and inputs do not fit.

    Raises:
        RuntimeError: another `randomness`.
        ValueError: `chunk_size` is not positive.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")
    name = getattr(func, "__name__", repr(func))

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        batch = _Batch(func, name, in_dims, out_dims, args, kwargs)
        size = batch.size
        if chunk_size is None or chunk_size >= size:
            return batch.run(batch.tensors, randomness)
        numbers, pieces = generator.get_state(), []
        for i in range(0, size, chunk_size):
            if randomness == "same":
                generator.set_state(numbers)
            pieces.append(batch.run(batch.slices(i, min(chunk_size, size - i)), randomness))
        return _joined(pieces, out_dims)

    return wrapper


class _Batch:
    """One call of a function that `vmap` made."""

    def __init__(self, func, name, in_dims, out_dims, args, kwargs):
        self.func, self.name, self.out_dims, self.kwargs = func, name, out_dims, kwargs
        if not isinstance(in_dims, int | tuple):
            raise ValueError(f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a "
                             f"(potentially nested) tuple matching the structure of inputs, got: {type(in_dims)}.")
        if not args:
            raise ValueError(f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
                             "vmap over a function with no inputs. The latter is unsupported.")
        leaves, self.structure = flatten(args)
        dims = spread(in_dims, args)
        if dims is None:
            raise ValueError(f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure "
                             f"of `inputs`. in_dims has structure {form_of(in_dims)} but inputs has structure "
                             f"{form_of(args)}.")
        self.leaves, self.places, self.dims, self.tensors = leaves, [], [], []
        for i, (x, dim) in enumerate(zip(leaves, dims, strict=True)):
            self._check(x, dim, in_dims)
            if dim is not None:
                self.places.append(i)
                self.dims.append(dim % x.dim())
                self.tensors.append(x)
        sizes = [x.shape[dim] for x, dim in zip(self.tensors, self.dims, strict=True)]
        if not sizes:
            raise ValueError(f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): at least one input must be batched: in_dims "
                             "are all None.")
        if len(set(sizes)) > 1:
            raise ValueError("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                             f"{sizes} for the mapped dimension")
        self.size = sizes[0]

    def _check(self, x, dim, in_dims):
        head = f"vmap({self.name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={dim} for "
        if dim is None:
            return
        if not isinstance(dim, int):
            raise ValueError(f"{head}an input but in_dim must be either an integer dimension or None.")
        if not isinstance(x, Tensor):
            raise ValueError(f"{head}an input but the input is of type {type(x)}. We cannot vmap over non-Tensor "
                             "arguments, please use None as the respective in_dim")
        if not -x.dim() <= dim < x.dim():
            raise ValueError(f"{head}some input, but that input is a Tensor of dimensionality {x.dim()} so expected in_dim "
                             f"to satisfy -{x.dim()} <= in_dim < {x.dim()}.")

    def slices(self, start, length) -> list:
        """The inputs of one chunk."""
        return [x.narrow(dim, start, length) for x, dim in zip(self.tensors, self.dims, strict=True)]

    def size_of(self, tensors) -> int:
        """How many slices these inputs have."""
        return tensors[0].shape[self.dims[0]]

    def run(self, tensors, randomness):
        """The outputs for these inputs."""
        device = tensors[0]._cell.aval.device
        found: dict[str, Any] = {"same": {}}

        def one(number, *arrays):
            lane = state.thread.frames[-1].lane = (self.size_of(tensors), number)
            leaves, cells = list(self.leaves), []
            for i, a, x, dim in zip(self.places, arrays, tensors, self.dims, strict=True):
                strides = x._cell.aval.strides
                leaves[i] = tensor_of(a, device, (*strides[:dim], *strides[dim + 1:]))
                cells.append(leaves[i]._cell)
            output = self.func(*unflatten(self.structure, leaves), **self.kwargs)
            outs, found["structure"] = flatten(output)
            found["dims"] = self._out_dims(output, outs)
            found["same"] = self._arguments_among(outs, leaves)
            results = arrays_of(outs)
            if any(dim is None and vmap_levels.differs(r, lane) for r, dim in zip(results, found["dims"], strict=True)):
                raise ValueError(f"vmap({self.name}, ...): `{self.name}` can not return a BatchedTensor when out_dim is "
                                 "None")
            found["written"] = [i for i, cell in enumerate(cells) if was_written(cell)]
            return results + [force(cells[i]) for i in found["written"]]

        def whole(number, *arrays):
            results = one(number, *arrays)
            state.thread.frames[-1].leave(trace_of(number))
            return results

        def fn(*arrays):
            numbers = np.arange(self.size_of(tensors))
            results = jax.vmap(whole, in_axes=(0, *self.dims))(numbers, *arrays)
            dims = [*found["dims"], *(self.dims[i] for i in found["written"])]
            return [r[0] if dim is None else _moved(r, _within(dim, r.ndim))
                    for r, dim in zip(results, dims, strict=True)]

        results = call(fn, tensors, randomness, derivative=False)
        count = found["structure"].count
        for i, value in zip(found["written"], results[count:], strict=True):
            inplace(ROWS["copy"], (tensors[i], value))
        for i, number in found["same"].items():
            x, dim, out = tensors[number], self.dims[number], _within(found["dims"][i], tensors[number].dim())
            results[i] = x if out % x.dim() == dim else x.movedim(dim, out)
        return unflatten(found["structure"], results[:count])

    def _arguments_among(self, outs, leaves) -> dict:
        """For each result that is an argument itself, that one's number."""
        numbers = {id(leaves[place]): k for k, place in enumerate(self.places)}
        return {i: numbers[id(x)] for i, x in enumerate(outs) if id(x) in numbers}

    def _out_dims(self, output, outs):
        for x in outs:
            if not isinstance(x, Tensor):
                raise ValueError(f"vmap({self.name}, ...): `{self.name}` must only return Tensors, got type {type(x)}. Did "
                                 "you mean to set out_dims= to None for output?")
        dims = spread(self.out_dims, output if not isinstance(output, Tensor) or isinstance(self.out_dims, int | None)
                       else (output,))
        if dims is None:
            raise ValueError(f"vmap({self.name}, ..., out_dims={self.out_dims})(<inputs>): out_dims is not compatible with "
                             f"the structure of `outputs`. out_dims has structure {form_of(self.out_dims)} but outputs has "
                             f"structure {form_of(output)}.")
        return dims


def _moved(array, dim):
    return jnp.moveaxis(array, 0, dim) if dim else array


def _within(dim, ndim) -> int:
    if not -ndim <= dim < ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}], but got {dim})")
    return dim


def _joined(pieces, out_dims):
    structure = form_of(pieces[0])
    dims: Any = spread(out_dims, pieces[0])  # which fits, as for each piece
    columns = zip(*(flatten(piece)[0] for piece in pieces), strict=True)
    return unflatten(structure, [column[0] if dim is None else bind(ROWS["cat"], (tuple(column),), (), (dim,))
                                           for column, dim in zip(columns, dims, strict=True)])
