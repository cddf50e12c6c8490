"""Kernels of picks, `x[i]` and `x[i:j]`, and of writes to them. In the cold tier those of one form are one program.

Where a pick begins is a parameter of its row, so a loop over `x[i]` has a kernel for each i, each to be traced and
compiled. These here are not traced before a whole program needs them, and what runs until then is the kernel of their
form, which takes the beginning as a number. 100 of `out[i] = t[i] * 2`, read one by one, compiled 270 kernels and took
6.5 s, now 8 and 0.4.
"""

import functools

import jax.numpy as jnp
from jax import lax

from torchlike._compile import kernels
from torchlike._compile.avals import NUMBER_DTYPES
from torchlike._compile.kernels import Kernel, TracedKernel
from torchlike._compile.row_function import row_function


class Place:
    """Where a pick begins: `first` along `dim`, `size` elements; `kept`: whether the result has that dimension."""

    __slots__ = ("dim", "first", "kept", "size")

    def __init__(self, dim, first, size, kept):
        self.dim, self.first, self.size, self.kept = dim, first, size, kept

    def read(self, x, at):
        """The pick of `x` that begins at `at`."""
        found = lax.dynamic_slice_in_dim(x, at, self.size, self.dim)
        return found if self.kept else lax.squeeze(found, (self.dim,))

    def write(self, base, new, at):
        """`base` with `new` at the pick."""
        return lax.dynamic_update_slice_in_dim(base, new if self.kept else jnp.expand_dims(new, self.dim), at, self.dim)


def place(row, params, shape) -> Place | None:
    """The Place of this view of a tensor of that shape; None if it is no pick of neighbouring elements."""
    if row.view.pick is None:
        return None
    found = row.view.pick(shape, **dict(zip(row.params, params, strict=True)))
    return None if found is None else Place(*found)


class Picked(Kernel):
    """A kernel whose form, `shared`, takes where it begins as its last argument, ``at``. ``where``: its Place."""

    __slots__ = ("at", "shared", "where")

    def __init__(self, shared: Kernel, where: Place, name: str, function, *, row=None, spec=None, recipe=None):
        self.shared, self.where, self.at = shared, where, NUMBER_DTYPES[int].type(where.first)
        super().__init__(name, function, shared.ins, (), shared.device, outs=shared.outs, row=row, spec=spec, recipe=recipe)

    def calls(self, ins, outs):
        return self.shared.calls((*ins, self.at), outs)


def of_form(what, where: Place, ins, device, shape=()) -> Kernel:
    """The kernel that all picks of this form share. `what`: "read", "write", or "spread": written into zeros of `shape`."""
    key = ("pick", what, where.dim, where.size, where.kept, ins, device, shape)
    return kernels.cache.intern(key, functools.partial(_form, what, where, ins, device, shape))


def _form(what, where, ins, device, shape):
    def function(*arrays):
        if what == "read":
            return (where.read(*arrays),)
        if what == "write":
            return (where.write(*arrays),)
        return (where.write(jnp.zeros(shape, ins[0].dtype.np), *arrays),)

    return TracedKernel(f"pick_{what}", function, ins, (int,), device)


def of_row(row, ins, params, device) -> Kernel:
    """The kernel of a view row with one operand and one result, as `kernels.of_row` makes it."""
    ins = tuple(a.plain for a in ins)
    where = place(row, params, tuple(ins[0].shape))
    if where is None:
        return kernels.of_row(row, ("a",), ins, (), params, device)

    def make():
        return Picked(of_form("read", where, ins, device), where, row.name.replace(".", "_"),
                      row_function(row, ("a",), ins, params), row=row, spec=(("a",), params),
                      recipe=(of_row, (row, ins, params, device)))

    return kernels.cache.intern((row, ("a",), ins, params, device), make)


def put(row, params, ins) -> Kernel:
    """The kernel (base, new) -> the base after the view of it by `row` has become `new`."""
    keywords = dict(zip(row.params, params, strict=True))

    def function(base, new):
        return (row.view.put(base, new, **keywords),)

    def make():
        name, recipe = f"put_{row.face}", (put, (row, params, ins))
        where = place(row, params, tuple(ins[0].shape)) if ins[0].dtype is ins[1].dtype else None
        if where is None:
            return TracedKernel(name, function, ins, (), ins[0].device, recipe=recipe)
        return Picked(of_form("write", where, ins, ins[0].device), where, name, function, recipe=recipe)

    return kernels.cache.intern(("put", row, params, ins), make)


def spread(forward: Picked, name, function, recipe) -> Kernel:
    """The gradient of a pick: the one that comes in, among zeros."""
    shared = of_form("spread", forward.where, forward.outs, forward.device, tuple(forward.ins[0].shape))
    return Picked(shared, forward.where, name, function, recipe=recipe)
