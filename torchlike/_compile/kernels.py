"""Kernels: one pure jax function per (row, operand avals, parameters), traced once and kept.

A kernel takes its arrays in one flat order: the array operands (lists flattened), then the
numbers, each a scalar of 64 bits (NUMBER_DTYPES). It returns a tuple of arrays. Everything
that runs, forward or backward, in any tier, is a list of calls of such kernels.
"""

import abc
import functools
import re
import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax

from torchlike._base import config
from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError
from torchlike._compile import dependence, digest, fences
from torchlike._compile.avals import aval, number_sds
from torchlike._compile.backends.registry import backend_of
from torchlike._compile.jax_private import forget_traced, low, own_work
from torchlike._compile.plans.table import MANY
from torchlike._compile.row_function import row_function
from torchlike._compile.sizes import Families, Sized
from torchlike._compile.symbols import is_open
from torchlike._ops.geometry import broadcast

counters = {"kernels": 0, "kernel_compiles": 0}
_ADDRESS = re.compile(" at 0x[0-9a-f]+")


class Kernel(abc.ABC):
    """A pure function on arrays that a trace can call.

    ``function`` is the Python function, ``jitted`` the jax.jit of it, ``spliced`` what whole programs consist of. ``ins``
    are the Avals of the arrays, ``outs`` those of the results (contiguous), ``numbers`` the Python types of the numbers
    (float, int, bool, complex), ``device`` where all of them are. ``row`` and ``spec`` say which row of the table it
    computes and of which operands (see `of_row`); None for a kernel of no row. ``precision`` is that of its row (table.py),
    also for the gradients and tangents of a row's kernel. ``recipe`` is (function, arguments) that
    give this kernel in another process, or None; ``key`` what it was interned under, or None. ``plans`` are its gradients
    by needed operands, see gradients.py; ``transformed`` and ``staged`` are what JAX's transforms take for it, see
    custom_jvp.py, ``differentiable`` says which of its arrays are, see gradients.py. ``sized``: how it follows from a kernel
    of all sizes, or None, see sizes.py.

    A kind says of which `calls` it consists when it runs by itself.
    """

    __slots__ = ("_carries", "_digest", "_jaxpr", "_jitted", "_producers", "_reads", "_spliced", "device", "differentiable",
                 "function", "ins", "key", "name", "numbers", "outs", "plans", "precision", "recipe", "row", "sized", "spec",
                 "staged", "transformed")
    row: Any
    spec: Any

    def __init__(self, name: str, function: Callable, ins: tuple, numbers: tuple, device, *, outs: tuple | None = None,
                 row=None, spec=None, precision: str = "products", recipe=None, sized: Sized | None = None):
        """`outs` None: they are found by tracing the function, which raises the errors of its row."""
        self.name, self.function, self.ins, self.numbers = name, function, ins, numbers
        self.row, self.spec, self.device, self.recipe = row, spec, device, recipe
        self.precision, self.sized = precision, sized
        self.key: Any = None
        self._digest: str | None = None
        self.plans: dict = {}
        self.transformed: Any = None
        self.staged: Any = None
        self.differentiable: tuple | None = None
        self._producers: tuple = ()
        self._reads: tuple = ()
        self._carries: tuple = ()
        self._jaxpr: Any = None
        self._spliced: Any = None
        self._jitted: Any = None
        self.outs: tuple = self._traced_outs() if outs is None else outs

    @abc.abstractmethod
    def calls(self, ins: Sequence, outs: Sequence) -> list[tuple["TracedKernel", Sequence, Sequence]]:
        """What the cold tier runs for this kernel.

        Args:
            ins, outs: where its arguments are (the arrays, then the numbers) and its results go, as numbers of places.

        Returns:
            (kernel, its ins, its outs) of each call. A numpy scalar among ``ins`` is an argument itself.
        """

    def split(self, ins: Sequence, outs: Sequence) -> list[tuple["Kernel", Sequence, Sequence]]:
        """The kernels of which this one is made and which do not need each other: (kernel, its arrays, its results) of each.

        Args:
            ins, outs: where its arrays are and its results go, as in `calls`.
        """
        return [(self, ins, outs)]

    @property
    def pieces(self) -> list["TracedKernel"]:
        """The kernels that the cold tier runs for this one."""
        return [piece for piece, _, _ in self.calls(range(len(self.ins) + len(self.numbers)), range(len(self.outs)))]

    def _named(self) -> Callable:
        """The function under the kernel's name, which JAX shows."""
        function = self.function

        def kernel(*arrays):
            return function(*arrays)

        kernel.__name__ = kernel.__qualname__ = self.name
        return kernel

    def _traced_outs(self) -> tuple:
        self._jaxpr = _traced(self.jitted, self.arguments())
        counters["kernels"] += 1
        return tuple(aval(tuple(o.shape), dt.from_np(o.dtype), self.device) for o in self._jaxpr.out_avals)

    def arguments(self) -> tuple:
        """JAX's descriptions of all arguments."""
        return (*(a.sds for a in self.ins), *(number_sds(kind) for kind in self.numbers))

    @property
    def jitted(self) -> Any:
        """The jax.jit of the function."""
        if self._jitted is None:
            self._jitted = jax.jit(self._named())
        return self._jitted

    @property
    def _equations(self) -> tuple:
        """(a ClosedJaxpr of the same equations as `jaxpr`, the values of the symbols among its sizes)."""
        if self._jaxpr is None and self.sized is not None:
            general = self.sized.template.kernel
            if general is not None:
                return general.jaxpr, self.sized.values
        return self.jaxpr, ()

    @property
    def producers(self) -> tuple:
        """For each result the primitive that makes it, see fences.py."""
        if not self._producers:
            self._producers = fences.producers(self._equations[0])
        return self._producers

    @property
    def reads(self) -> tuple:
        """For each result a tuple: for each argument whether the result depends on it."""
        if not self._reads:
            self._reads = dependence.of_jaxpr(self._equations[0])
        return self._reads

    @property
    def carries(self) -> tuple:
        """As `reads`, of what a gradient can flow through."""
        if not self._carries:
            self._carries = dependence.of_jaxpr(self._equations[0], floating=True)
        return self._carries

    @property
    def jaxpr(self):
        """The ClosedJaxpr of the function."""
        if self._jaxpr is None:
            self._jaxpr = _traced(self.jitted, self.arguments())
        return self._jaxpr

    @property
    def spliced(self):
        """The jax.jit of the function, in the form that its backend compiles best."""
        if self._spliced is None:
            other = backend_of(self.device).rewritten(self.jaxpr)
            if other is not None:
                other.__name__ = other.__qualname__ = self.name
            self._spliced = self.jitted if other is None else jax.jit(other)
        return self._spliced

    @property
    def digest(self) -> str:
        """What it is, see digest.py.

        Raises:
            digest.Unknown: other processes cannot know.
        """
        if self._digest is None:
            made_of = self.recipe[1] if self.key is None and self.recipe is not None else self.key
            if made_of is None:
                raise digest.Unknown(self.name)
            self._digest = digest.of_texts(self.__class__.__name__, self.name, *map(digest.text, (made_of, self.outs)))
        return self._digest

    def __repr__(self):
        return f"<kernel {self.name}({', '.join(map(repr, self.ins))})>"

    def __reduce__(self):
        if self.recipe is None:
            raise UnsupportedError(f"'{self.name}' in a forked process: start it by 'spawn' or 'forkserver'")
        return self.recipe


class TracedKernel(Kernel):
    """The usual kind: a function that is traced when the kernel is made, and runs as it stands."""

    __slots__ = ("_compiled", "_compiled_by", "_plan")

    def __init__(self, name: str, function: Callable, ins: tuple, numbers: tuple, device, *, row=None, spec=None,
                 precision: str = "products", recipe=None, family: Hashable = None, sized: Sized | None = None):
        """`family`: kernels of one family compute the same, element by element, of arrays of different sizes: one whose
        arrays broadcast as those of an earlier one is not traced, and runs by the plan of that one."""
        self._compiled: Any = None
        self._compiled_by: Any = None
        self._plan: Any = None
        key = None if family is None or any(is_open(a.shape) for a in ins) else (family, pattern(ins))
        found: TracedKernel | None = cache.families.get(key)
        outs = None
        if found is not None and (outs := found.outs_for(ins)) is not None:
            self._plan = found.plan
        elif sized is not None:
            outs = sized.outs()
        if outs is not None:
            counters["kernels"] += 1
        super().__init__(name, function, ins, numbers, device, outs=outs, row=row, spec=spec, precision=precision,
                         recipe=recipe, sized=sized)
        if key is not None and found is None and 0 not in key[1]:
            cache.families[key] = self

    def _named(self):
        function = self.function

        def kernel(*arrays):
            with backend_of(self.device).tracing(self.precision):
                return function(*arrays)

        kernel.__name__ = kernel.__qualname__ = self.name
        return kernel

    @property
    def compiled(self):
        """A callable that takes arrays and numbers and returns a sequence of arrays: compiled on first use."""
        if not self.is_compiled:
            backend = backend_of(self.device)
            made = backend.compile_kernel(self)
            with cache.lock:
                if not self.is_compiled:
                    self._compiled, self._compiled_by = made, backend
                    counters["kernel_compiles"] += 1
                    cache.compiled += 1
        return self._compiled

    @property
    def elements(self) -> int:
        """The size of its largest array."""
        return max((a.numel for a in (*self.ins, *self.outs)), default=0)

    @property
    def traced_digest(self) -> str:
        """The digest, with that of what was traced: JAX's settings may have changed since. "" if there is none."""
        try:
            return digest.of_texts(self.digest, _ADDRESS.sub("", str(self.jaxpr)))
        except digest.Unknown:
            return ""

    @property
    def is_compiled(self) -> bool:
        """Whether `compiled` is at hand. What was compiled before this process was forked is not."""
        return self._compiled is not None and self._compiled_by is backend_of(self.device)

    @property
    def plan(self):
        """The Plan that runs the kernel without compiling it; False where its backend has none."""
        if self._plan is None:
            self._plan = backend_of(self.device).interpret(*self._equations) or False
        return self._plan

    def calls(self, ins, outs):
        return [(self, ins, outs)]

    def outs_for(self, ins: tuple) -> tuple | None:
        """The Avals of the results for arrays that broadcast as this kernel's do; None where its plan does not tell."""
        reads = getattr(self.plan, "reads", None)
        if reads is None:
            return None
        shapes = [tuple(a.shape) for a in ins] + [()] * len(self.numbers)
        try:
            return tuple(aval(functools.reduce(broadcast, [shapes[i] for i in read], ()), out.dtype, self.device)
                         for read, out in zip(reads, self.outs, strict=True))
        except RuntimeError:  # they do not broadcast: the row says so
            return None


class AuxKernel(TracedKernel):
    """A kernel whose function returns (arrays, something else). ``aux`` is what that was when the kernel was traced."""

    __slots__ = ("aux",)

    def __init__(self, name: str, function: Callable, ins: tuple, numbers: tuple, device):
        def arrays_only(*arrays):
            found, self.aux = function(*arrays)
            return found

        super().__init__(name, arrays_only, ins, numbers, device)


def pattern(ins) -> tuple:
    """How arrays broadcast: kernels of one family with equal patterns have one plan. It has a 0 for an empty array."""
    return tuple(0 if a.numel == 0 else (a.dtype, a.device, a.numel > MANY, *[size == 1 for size in a.shape]) for a in ins)


def _traced(function, arguments):
    """The ClosedJaxpr. A row's own error comes out as the row raised it, without JAX's frames and notes."""
    try:
        with cache.lock, own_work():  # whoever forks holds it: JAX has locks of its own
            return low(function.trace(*arguments).jaxpr)
    except Exception as error:  # noqa: BLE001 - the rows raise PyTorch's types
        error.__notes__ = []
        error.__cause__ = error.__context__ = None
        failure = error.with_traceback(None)
    try:
        raise failure
    finally:
        del failure  # a cycle, which would keep the frames of all callers and the tensors there


class KernelCache:
    """All kernels by what they are made of. It is bounded: at ``max_kernels`` it starts anew.

    ``generation`` counts these starts. Whoever holds kernels compares it and lets go of them when it has changed, since
    each compiled one maps memory six times. ``families`` has the first kernel of each family and pattern, see TracedKernel,
    ``sized`` the kernels of all sizes, see sizes.py.
    ``compiled`` counts the kernels compiled since the last start. ``lock`` is held by whoever changes any of this, and
    by whoever traces.
    """

    def __init__(self):
        self.kernels: dict = {}
        self.families: dict = {}
        self.sized = Families()
        self.compiled = self.generation = 0
        self.lock = threading.RLock()

    def intern(self, key, make: Callable[[], Kernel]) -> Any:
        """The kernel of `key`, made on first use."""
        found = self.kernels.get(key)
        if found is not None:
            return found
        with self.lock:
            found = self.kernels.get(key)
            if found is None:
                if max(len(self.kernels), self.compiled) >= config.settings.max_kernels:
                    self.start_anew()
                found = make()
                found.key = key
                self.kernels[key] = found
        return found

    def start_anew(self) -> None:
        """Forget all kernels, and what JAX was asked for by them. The traces let go of theirs when they have run."""
        forget_traced()
        with self.lock:
            self.kernels.clear()
            self.families.clear()
            self.sized.clear()
            self.compiled = 0
            self.generation += 1


cache = KernelCache()


def of_row(row, spec: tuple, ins: tuple, numbers: tuple, params: tuple, device) -> TracedKernel:
    """The kernel of a row.

    Args:
        row: a row of the operator table.
        spec: for each operand ``"a"`` (an array), a type (a Python number), None, or a tuple of bools (a list: True an
            array, False None); then for each of the row's numbers a type or None.
        ins: the Avals of the arrays, in order.
        numbers: the types that occur in `spec`, in order.
        params: the row's parameters, hashable, in its order.
        device: where the kernel runs.

    Raises:
        What the row's function raises for such operands: PyTorch's errors.
    """
    ins = tuple(a.plain for a in ins)

    def make(ins, params, sized=None):
        return TracedKernel(row.name.replace(".", "_"), row_function(row, spec, ins, params), ins, numbers, device, row=row,
                            spec=(spec, params), precision=row.precision, sized=sized,
                            recipe=(of_row, (row, spec, ins, numbers, params, device)),
                            family=(row, spec, params) if row.layout == "pointwise" else None)

    return cache.intern((row, spec, ins, params, device), lambda: make(
        ins, params, cache.sized.find((row, spec, device), ins, params, make)))
