"""Kernels: one pure jax function per (row, operand avals, parameters), traced once and kept.

A kernel takes its arrays in one flat order: the array operands (lists flattened), then the
numbers, each a scalar of 64 bits (NUMBER_DTYPES). It returns a tuple of arrays. Everything
that runs, forward or backward, in any tier, is a list of calls of such kernels.
"""

import threading
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._base import config
from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError
from torchlike._compile import dependence, fences, precision, xla
from torchlike._compile.avals import aval
from torchlike._ops import promotion

_KERNELS: dict = {}
_LOCK = threading.RLock()
NUMBER_DTYPES = {float: np.dtype(np.float64), int: np.dtype(np.int64), bool: np.dtype(np.bool_),
                 complex: np.dtype(np.complex128)}
counters = {"kernels": 0, "kernel_compiles": 0}


class Kernel:
    """A traced function on arrays.

    ``jitted`` is the jax.jit of it, ``outs`` the Avals of the results (contiguous), ``ins`` the
    Avals of the arrays, ``numbers`` the Python types of the numbers (float, int, complex). ``recipe``
    is (function, arguments) that give this kernel in another process, or None.
    """

    __slots__ = ("_carries", "_compiled", "_makers", "_reads", "back", "device", "ins", "jitted", "name", "numbers",
                 "outs", "plain_fn", "recipe", "row", "spec")

    def __init__(self, name, fn: Callable, ins: tuple, numbers: tuple, device, row=None, spec=None, recipe=None):
        self.name, self.plain_fn, self.ins, self.numbers = name, fn, ins, numbers
        self.row, self.spec, self.device, self.recipe = row, spec, device, recipe
        self.back: dict = {}  # (needed operands, defined gradients) -> Kernel
        self._compiled = None
        self._makers: tuple = ()
        self._reads: tuple = ()
        self._carries: tuple = ()
        self.jitted = self._jit()
        outs = _result_shapes(self.jitted, self.arguments())
        self.outs = tuple(aval(tuple(o.shape), dt.from_np(o.dtype), device) for o in outs)
        counters["kernels"] += 1

    def _jit(self):
        fn = self.plain_fn

        def kernel(*arrays):
            with precision.tracing(self.name, self.device):
                return fn(*arrays)

        kernel.__name__ = kernel.__qualname__ = self.name
        return jax.jit(kernel)

    def arguments(self) -> tuple:
        """JAX's descriptions of all arguments."""
        return (*(a.sds for a in self.ins), *(number_sds(kind) for kind in self.numbers))

    @property
    def compiled(self):
        """The kernel as a small program of its own, for the cold tier.

        Not from ``jitted``: as long as that lives JAX keeps the MLIR module it was lowered to, 2 MB each.
        """
        if self._compiled is None:
            with jax.enable_x64(True):
                lowered = self._jit().lower(*self.arguments())
                largest = max((a.numel for a in (*self.ins, *self.outs)), default=0)
                made = xla.kernel(lowered, self.device.type, largest)
            with _LOCK:
                if self._compiled is None:
                    self._compiled = made
                    counters["kernel_compiles"] += 1
                    _since[0] += 1
        return self._compiled

    @property
    def makers(self) -> tuple:
        """The primitive that makes each result, see `fences`."""
        if not self._makers:
            with jax.enable_x64(True):
                self._makers = fences.makers(self.jitted.trace(*self.arguments()))
        return self._makers

    @property
    def reads(self) -> tuple:
        """For each result a tuple: for each argument whether the result depends on it."""
        if not self._reads:
            with jax.enable_x64(True):
                self._reads = dependence.of_traced(self.jitted.trace(*self.arguments()))
        return self._reads

    @property
    def carries(self) -> tuple:
        """As `reads`, of what a gradient can flow through."""
        if not self._carries:
            with jax.enable_x64(True):
                self._carries = dependence.of_traced(self.jitted.trace(*self.arguments()), floating=True)
        return self._carries

    @property
    def is_compiled(self) -> bool:
        """Whether `compiled` is at hand."""
        return self._compiled is not None

    @property
    def pieces(self) -> tuple:
        """The kernels that the cold tier compiles for this one."""
        return (self,)

    def __repr__(self):
        return f"<kernel {self.name}({', '.join(map(repr, self.ins))})>"

    def __reduce__(self):
        if self.recipe is None:
            raise UnsupportedError(f"'{self.name}' in a forked worker process of a DataLoader: "
                                   "give it multiprocessing_context='spawn'")
        return self.recipe


def _result_shapes(function, arguments):
    """`jax.eval_shape`. A row's own error comes out as the row raised it, without JAX's frames and notes."""
    try:
        with jax.enable_x64(True):
            return jax.eval_shape(function, *arguments)
    except Exception as error:  # noqa: BLE001 - the rows raise PyTorch's types
        error.__notes__ = []
        error.__cause__ = error.__context__ = None
        failure = error.with_traceback(None)
    raise failure


def number_sds(kind):
    """The form in which a number enters a kernel."""
    with jax.enable_x64(True):
        return jax.ShapeDtypeStruct((), NUMBER_DTYPES[kind])


_since = [0]  # how many kernels, backward ones too, were compiled since all were given up
given_up = [0]  # how often all kernels were: what holds some must let them go, for each maps memory six times


def intern(key, make: Callable[[], Kernel]) -> Kernel:
    """The kernel of `key`, made on first use. The cache is bounded, by kernels and by compiled ones: at the bound it
    starts anew."""
    found = _KERNELS.get(key)
    if found is not None:
        return found
    with _LOCK:
        found = _KERNELS.get(key)
        if found is None:
            if max(len(_KERNELS), _since[0]) >= config.settings.max_kernels:
                give_up()
            found = _KERNELS[key] = make()
    return found


def give_up() -> None:
    """Forget all kernels. The traces let go of theirs when they have run."""
    with _LOCK:
        _KERNELS.clear()
        _since[0] = 0
        given_up[0] += 1


def of_row(row, spec: tuple, ins: tuple, numbers: tuple, params: tuple, device) -> Kernel:
    """The kernel of a row.

    spec: for each operand ``"a"`` (an array), a type (a Python number), None, or a tuple of bools (a
    list: True an array, False None); then for each of the row's numbers a type or None. `numbers` are the types that
    occur in `spec`, in order.
    """
    ins = tuple(a.plain for a in ins)
    key = (row, spec, ins, params, device)
    return intern(key, lambda: Kernel(row.name.replace(".", "_"), row_function(row, spec, ins, params),
                                      ins, numbers, device, row, (spec, params),
                                      (of_row, (row, spec, ins, numbers, params, device))))


# -- from a row to a function on flat arrays

def row_function(row, spec, ins, params):
    """The row on flat arrays, without their names and the numbers' types."""
    keywords = dict(zip(row.params, unwrap(row, params), strict=True))
    defaults = {a.name: a.default for a in row.schema.args if a.is_number}
    operand_spec, number_spec = spec[:len(row.operands)], spec[len(row.operands):]
    compute = common_dtype(row, operand_spec, ins)
    opmath = promotion.scalar_dtype(compute) if compute is not None else _scalar_for(ins)

    def function(*arrays):
        operands, numbers = place(operand_spec, number_spec, arrays, len(ins))
        if compute is not None:
            operands = tuple(_cast(o, opmath) for o in operands)
        else:
            operands = tuple(_raw_number(o, s) for o, s in zip(operands, operand_spec, strict=True))
        for name, number, kind in zip(row.numbers, numbers, number_spec, strict=True):
            keywords[name] = scalar(*given(number, kind, defaults[name]), opmath)
        result = row.fn(*operands, **keywords)
        results = result if isinstance(result, tuple | list) else (result,)
        if compute is not None and opmath is not compute:
            results = tuple(_round(r, compute) for r in results)
        return tuple(results)

    return function


def unwrap(row, params) -> tuple:
    """Static numbers travel as (type, value) so that 2 and 2.0 are different keys."""
    if not row.static:
        return params
    return tuple(p[1] if name in row.static and isinstance(p, tuple) else p
                 for name, p in zip(row.params, params, strict=True))


def common_dtype(row, operand_spec, ins):
    """The dtype the row computes in, or None where it takes its operands as they are."""
    if row.promote is None:
        return None
    return promotion.compute_dtype(row.promote, promotion_operands(operand_spec, ins))


def promotion_operands(operand_spec, ins) -> list:
    """The operands as promotion sees them."""
    arrays, out = iter(ins), []
    for kind in operand_spec:
        if kind == "a":
            out.append(_of_aval(next(arrays)))
        elif isinstance(kind, type):
            out.append(promotion.Operand(promotion.of_number(kind()), 0))
        elif kind is not None:
            out.extend(_of_aval(next(arrays)) for there in kind if there)
    return out


def _of_aval(a):
    return promotion.Operand(a.dtype, 2 if a.ndim else 1)


def _scalar_for(ins):
    """Where a row takes operands as they are, numbers follow its first floating operand."""
    for a in ins:
        if a.dtype.category >= dt.FLOAT:
            return promotion.scalar_dtype(a.dtype)
    return None


def place(operand_spec, number_spec, arrays, n_arrays):
    """Flat arrays back into operands and numbers, in the row's order."""
    array, number = iter(arrays[:n_arrays]), iter(arrays[n_arrays:])
    operands = []
    for kind in operand_spec:
        if kind == "a":
            operands.append(next(array))
        elif isinstance(kind, type):
            operands.append(next(number))
        else:
            operands.append(None if kind is None else tuple(next(array) if there else None for there in kind))
    return tuple(operands), tuple(None if kind is None else next(number) for kind in number_spec)


def _cast(operand, to):
    if operand is None:
        return None
    if isinstance(operand, tuple):
        return tuple(promotion.cast_operand(o, to) for o in operand)
    return promotion.cast_operand(operand, to)


def _raw_number(operand, kind):
    return scalar(operand, kind, None) if isinstance(kind, type) else operand


def scalar(number, kind, opmath):
    """A number argument in the dtype in which the row computes."""
    if number is None:
        return None
    if kind is bool:
        return number.astype(bool)
    to = opmath
    if to is None or (to.category <= dt.INT and kind is not int):
        to = {int: dt.int64, complex: dt.complex128}.get(kind, dt.float64)
    elif kind is complex:
        to = to.to_complex()
    return number.astype(to.np)


def given(number, kind, default):
    """(number, type) with the schema's default in place of a number that was left out."""
    if kind is not None or default is None or default is ...:
        return number, kind
    return jnp.asarray(default, NUMBER_DTYPES[type(default)]), type(default)


def _round(result, compute):
    return result.astype(compute.np) if result.dtype == jnp.float32 else result
