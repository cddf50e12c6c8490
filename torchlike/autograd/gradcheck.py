"""Gradients against finite differences.
https://pytorch.org/docs/stable/autograd.html#numerical-gradient-checking

The whole Jacobian is computed both ways, one perturbed element and one output element at a time, and
compared element by element. (PyTorch's fast mode compares random projections; here it does the same
as the slow mode, which is stricter.) Jacobians are numpy matrices, inputs by outputs.
"""

import itertools
import warnings

import numpy as np

from torchlike import dtypes
from torchlike._tensor import Tensor, wrap
from torchlike._trace.inplace import write
from torchlike._trace.leaf import leaf
from torchlike._trace.node import Node
from torchlike._trace.trace import force, state
from torchlike._trace.views import data
from torchlike.autograd import engine
from torchlike.autograd.gradcheck_forward import jacobians
from torchlike.size import Size

_NOT_REENTRANT = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
    "different values, although analytical gradient matches numerical gradient.The tolerance for "
    "nondeterminism was {}.\n\nNOTE: If your op relies on non-deterministic operations i.e., it is listed "
    "here:\nhttps://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html\n"
    "this failure might be expected.\n\n"
    "If you are adding a new operator, please file an issue and then use one of the\n"
    "workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck.\n"
    "If the test\n"
    "- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck\n"
    "  with `nondet_tol=<tol>` as a keyword argument.\n"
    "- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test\n"
    "  to have `gradcheck_nondet_tol=<tol>`.\n"
    "- is a Module test (e.g., in common_nn.py), then modify the corresponding\n"
    "  module_test entry to have `gradcheck_nondet_tol=<tol>`\n")
_NO_UNDEFINED = ("Expected backward function to handle undefined output grads. Please look at \"Notes about "
                 "undefined output gradients\" in \"tools/autograd/derivatives.yaml\"")
_UNDEFINED_NOT_ZERO = (
    "Expected all input grads to be undefined or zero when all output grads are undefined or zero. Please "
    "look at \"Notes about undefined output gradients\" in \"tools/autograd/derivatives.yaml\"")
_UNDEFINED_IS_NEW = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it "
    "may break existing callers of this function. If this is true for you, you can call this function with "
    "\"check_undefined_grad=False\" to disable the feature")


class GradcheckError(RuntimeError):
    """Raised by `gradcheck` and `gradgradcheck` where the gradients disagree."""


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0,
              check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
              check_batched_forward_grad=False, check_forward_ad=False, check_backward_ad=True,
              fast_mode=False, masked=None) -> bool:
    """Compare the gradients of `func` with central differences of step `eps`.

    `inputs`: a Tensor or a tuple; those that require grad are checked, and should be float64 or
    complex128. Returns True; where they disagree raises GradcheckError, or returns False without
    `raise_exception`. https://pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    del fast_mode, masked  # the full comparison serves both modes, and there are no sparse tensors
    check = _Check(func, _as_tuple(inputs), eps, atol, rtol, nondet_tol, check_grad_dtypes)
    try:
        if check_backward_ad:
            check.run(check_undefined_grad, check_batched_grad)
        return not check_forward_ad or check.run_forward()
    except GradcheckError:
        if raise_exception:
            raise
        return False


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3,
                  gen_non_contig_grad_outputs=False, raise_exception=True, nondet_tol=0.0,
                  check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
                  check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False, masked=False) -> bool:
    """Compare the second derivatives of `func` with central differences of its gradients.

    `grad_outputs` are random unless given. Arguments, result and errors as for `gradcheck`.
    https://pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradgradcheck.html
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    if check_batched_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_batched_grad=True requires check_rev_over_rev to be True")
    inputs = _as_tuple(inputs)
    if grad_outputs is None:
        outputs = _differentiable(func(*inputs))
        grad_outputs = tuple(_random_like(x, gen_non_contig_grad_outputs) for x in outputs)
    grad_outputs = _as_tuple(grad_outputs)
    first_order = _FirstOrder(func, inputs, grad_outputs)
    return gradcheck(
        first_order, inputs + grad_outputs, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
        nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad, fast_mode=fast_mode, check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev, masked=masked)


class _FirstOrder:
    """The gradients of `func` as a function of its inputs and of the gradients of its outputs."""

    def __init__(self, func, inputs, grad_outputs):
        self.func, self.count = func, len(grad_outputs)
        self.wanted = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x._edge is not None]

    def __call__(self, *args):
        inputs, grads = args[:-self.count], args[-self.count:]
        outputs = _differentiable(self.func(*inputs))
        wanted = [inputs[i] for i in self.wanted]
        found = engine.grad(outputs, wanted, grads, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)


def _random_like(x, non_contiguous) -> Tensor:
    aval = x._cell.aval
    shape = tuple(aval.shape)
    source = np.random.default_rng(0)
    values = source.uniform(-1, 1, shape)
    if aval.dtype.is_complex:
        values = values + 1j * source.uniform(-1, 1, shape)
    kind = aval.dtype.np if aval.dtype.category >= 2 else np.float64
    made = leaf(np.asarray(values).astype(kind), aval.device)
    if non_contiguous and aval.numel > 1:
        made = made.repeat_interleave(2, dim=-1)[..., ::2]
    return made.detach().requires_grad_(True)


# -- one check

class _Check:
    """The arguments of one call of gradcheck."""

    def __init__(self, func, inputs, eps, atol, rtol, nondet_tol, check_dtypes):
        self.func, self.inputs = func, inputs
        self.eps, self.atol, self.rtol = eps, atol, rtol
        self.nondet_tol, self.check_dtypes = nondet_tol, check_dtypes
        self.wanted = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x._edge is not None]
        self.leaves = [inputs[i] for i in self.wanted]

    def run(self, check_undefined, check_batched) -> None:
        """Backward against differences."""
        self._check_inputs()
        results = self.func(*self.inputs)
        outputs = _differentiable(results)
        complex_outputs = [i for i, out in enumerate(outputs) if out._cell.aval.dtype.is_complex]
        if any(out._cell.aval.dtype.is_complex for out in _as_tuple(results)):
            self._compare(_Part(self.func, "imag"), "imaginary", complex_outputs)
            self._compare(_Part(self.func, "real"), "real", complex_outputs)
        else:
            self._compare(self.func, None, (), results)
        if check_batched:
            self._check_batched(outputs)
        self._check_scales_with_grad(outputs)
        if check_undefined:
            self._check_undefined(len(outputs))

    def run_forward(self) -> bool:
        """Forward mode against differences; True."""
        self._check_inputs()
        results = _as_tuple(self.func(*self.inputs))
        if any(out._cell.aval.dtype.is_complex for out in results):
            self._compare_forward(_Part(self.func, "imag"), "imaginary")
            self._compare_forward(_Part(self.func, "real"), "real")
        else:
            self._compare_forward(self.func, None)
        return True

    def _compare_forward(self, func, part):
        outputs = [out for out in _as_tuple(func(*self.inputs)) if out._cell.aval.dtype.category >= 2]
        for j, (given, x) in enumerate(zip(self.wanted, self.leaves, strict=True)):
            numerical, analytical = self._numerical(func, x), jacobians(func, self.inputs, given)
            for i, (out, a, n) in enumerate(zip(outputs, analytical, numerical, strict=True)):
                if out._edge is not None and not _all_close(a, n, self.rtol, self.atol):
                    raise GradcheckError(_mismatch(a, n, i, j, part, " computed with forward mode"))

    def _check_inputs(self):
        for i in self.wanted:
            aval = self.inputs[i]._cell.aval
            if aval.dtype.name not in ("float64", "complex128"):
                warnings.warn(f"Input #{i} requires gradient and is not a double precision floating point or "
                              "complex. This check will likely fail if all the inputs are not of double "
                              "precision floating point or complex. ", stacklevel=4)
            if any(stride == 0 and size > 1 for stride, size in zip(aval.strides, aval.shape, strict=True)):
                raise RuntimeError(f"The {i}th input has a dimension with stride 0. gradcheck only supports "
                                   "inputs that are non-overlapping to be able to compute the numerical "
                                   "gradients correctly. You should call .contiguous on the input before "
                                   "passing it to gradcheck.")
        if not self.wanted:
            raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of "
                             "them have requires_grad=True.")

    # -- the two Jacobians

    def _compare(self, func, part, complex_outputs, results=None):
        results = _as_tuple(func(*self.inputs) if results is None else results)
        numerical = [self._numerical(func, x) for x in self.leaves]  # by input, then by output
        outputs = [out for out in results if out._edge is not None]
        if not outputs:
            if any(np.any(j != 0) for by_output in numerical for j in by_output):
                raise GradcheckError("Numerical gradient for function expected to be zero")
            return
        places = [k for k, out in enumerate([r for r in results if r._cell.aval.dtype.category >= 2])
                  if out._edge is not None]
        for i, (k, out) in enumerate(zip(places, outputs, strict=True)):
            analytical = self._analytical(out)
            for j, a in enumerate(analytical):
                n = numerical[j][k]
                if not _all_close(a, n, self.rtol, self.atol):
                    raise GradcheckError(_mismatch(a, n, i, j, part if i in complex_outputs else None))

    def _numerical(self, func, x) -> list:
        """For each floating output the Jacobian by central differences."""
        original = np.array(force(x._cell))
        alias = data(x)
        is_complex = np.iscomplexobj(original)
        columns = []
        try:
            for idx in itertools.product(*map(range, original.shape)):
                column = self._difference(func, alias, original, idx, self.eps)
                if is_complex:
                    by_imag = self._difference(func, alias, original, idx, self.eps * 1j)
                    column = [a + b * 1j for a, b in zip(column, by_imag, strict=True)]
                columns.append(column)
        finally:
            _assign(alias, original)
        if not columns:
            outputs = [out for out in _as_tuple(func(*self.inputs)) if out._cell.aval.dtype.category >= 2]
            return [np.zeros((0, out._cell.aval.numel), out._cell.aval.dtype.np) for out in outputs]
        return [np.stack(rows).astype(original.dtype if is_complex else rows[0].dtype)
                for rows in zip(*columns, strict=True)]

    def _difference(self, func, alias, original, idx, step) -> list:
        below = self._evaluate(func, alias, original, idx, -step)
        above = self._evaluate(func, alias, original, idx, step)
        found = []
        for a, b in zip(below, above, strict=True):
            if a.shape != b.shape:
                raise AssertionError("Expected `func` to return outputs with the same shape when inputs are "
                                     f"perturbed on index {idx} by {self.eps}, but got: shapes "
                                     f"{Size(a.shape)} and {Size(b.shape)}.")
            if a.dtype != b.dtype:
                raise AssertionError("Expected `func` to return outputs with the same dtype when inputs are "
                                     f"perturbed on index {idx} by {self.eps}, but got: dtypes "
                                     f"{dtypes.from_np(a.dtype)} and {dtypes.from_np(b.dtype)}.")
            found.append(((b - a) / (2 * self.eps)).reshape(-1))
        return found

    def _evaluate(self, func, alias, original, idx, step) -> list:
        changed = original.copy()
        changed[idx] = original[idx] + step
        _assign(alias, changed)
        outputs = [out for out in _as_tuple(func(*self.inputs)) if out._cell.aval.dtype.category >= 2]
        return [np.array(force(out._cell)) for out in outputs]

    def _analytical(self, out) -> list:
        """For each input the Jacobian by backward, computed twice."""
        first, second = self._rows(out), self._rows(out)
        found, types_match = [], True
        for x, one, two in zip(self.leaves, first, second, strict=True):
            aval = x._cell.aval
            types_match &= all(g is None or g.dtype == aval.dtype.np for g in one)
            a, b = (_stack(rows, aval) for rows in (one, two))
            if a.size and np.abs(a - b).max() > self.nondet_tol:
                raise GradcheckError(_NOT_REENTRANT.format(self.nondet_tol))
            found.append(a)
        if not types_match and self.check_dtypes:
            raise GradcheckError("Gradient has dtype mismatch")
        return found

    def _rows(self, out) -> list:
        """For each input, for each element of `out`, its gradient as an array or None."""
        aval = out._cell.aval
        rows = [[] for _ in self.leaves]
        for k in range(aval.numel):
            one = np.zeros(aval.numel, aval.dtype.np)
            one[k] = 1
            given = leaf(one.reshape(tuple(aval.shape)), aval.device)
            grads = engine.grad(out, self.leaves, given, retain_graph=True, allow_unused=True)
            for row, g in zip(rows, grads, strict=True):
                row.append(None if g is None else np.array(force(g._cell)))
        return rows

    # -- the other properties of a backward

    def _check_batched(self, outputs):
        for i, out in enumerate(outputs):
            aval = out._cell.aval
            pair = [_random_like(out, False).detach() for _ in range(2)]
            stacked = leaf(np.stack([np.array(force(g._cell)) for g in pair]), aval.device)
            keep = {"retain_graph": True, "materialize_grads": True}
            expected = [engine.grad(out, self.leaves, g, **keep) for g in pair]
            batched = engine.grad(out, self.leaves, stacked, is_grads_batched=True, **keep)
            for j, (got, *each) in enumerate(zip(batched, *expected, strict=True)):
                wanted = np.stack([np.array(force(g._cell)) for g in each])
                if not _all_close(np.array(force(got._cell)), wanted, 1e-5, 1e-8):
                    raise GradcheckError(f"For output {i} and input "
                                         f"{j}:\n\nGot:\n{got}\n\nExpected:\n{wanted}")

    def _check_scales_with_grad(self, outputs):
        if not outputs:
            return
        grads = engine.grad(outputs, self.leaves, [_zeros_like(out) for out in outputs], allow_unused=True)
        for g, x in zip(grads, self.leaves, strict=True):
            if g is None:
                continue
            mine, theirs = g._cell.aval, x._cell.aval
            if np.any(np.array(force(g._cell)) != 0):
                raise GradcheckError("backward not multiplied by grad_output")
            if mine.dtype is not theirs.dtype:
                raise GradcheckError("grad is incorrect type")
            if mine.shape != theirs.shape:
                raise GradcheckError("grad is incorrect size")

    def _check_undefined(self, count):
        choices = [set(range(count))] + ([{i} for i in range(count)] if count > 1 else [])
        for chosen in choices:
            outputs = _differentiable(self.func(*self.inputs))
            outputs = [_without_gradient(out) if i in chosen else out for i, out in enumerate(outputs)]
            zeros = [_zeros_like(out) for out in outputs]
            try:
                grads = engine.grad(outputs, self.leaves, zeros, allow_unused=True)
            except RuntimeError as error:
                warnings.warn(_UNDEFINED_IS_NEW, stacklevel=4)
                raise GradcheckError(_NO_UNDEFINED) from error
            if any(g is not None and np.any(np.array(force(g._cell)) != 0) for g in grads):
                warnings.warn(_UNDEFINED_IS_NEW, stacklevel=4)
                raise GradcheckError(_UNDEFINED_NOT_ZERO)


class _Part:
    """`func` with the real or imaginary parts of its complex outputs."""

    def __init__(self, func, part):
        self.func, self.part = func, part

    def __call__(self, *inputs):
        return tuple(getattr(out, self.part) if out._cell.aval.dtype.is_complex else out
                     for out in _as_tuple(self.func(*inputs)))


class _UndefinedGrad(Node):
    """Passes no gradient on."""

    __slots__ = ("aval",)
    replayable = False

    def __init__(self, edge, aval):
        Node.__init__(self, None, (edge,), (), (), next(state.trace.sequence))
        self.aval = aval

    @property
    def next_functions(self):
        return tuple((node.public, number) for node, number in self.edges)

    def output_aval(self, i):
        return self.aval

    def backward(self, grads):
        return [None]


def _without_gradient(out) -> Tensor:
    made = wrap(out._cell)
    made._edge = (_UndefinedGrad(engine.edge_for(out), out._cell.aval), 0)
    return made


# -- helpers

def _as_tuple(x) -> tuple:
    return tuple(x) if isinstance(x, tuple | list) else (x,)


def _differentiable(x) -> tuple:
    return tuple(out for out in _as_tuple(x) if out._edge is not None)


def _assign(alias, values) -> None:
    """Make `values` what a tensor holds, through its ``.data``: nobody's version counter moves."""
    write(alias, leaf(values, alias._cell.aval.device), None)


def _zeros_like(x) -> Tensor:
    aval = x._cell.aval
    return leaf(np.zeros(tuple(aval.shape), aval.dtype.np), aval.device)


def _stack(rows, aval) -> np.ndarray:
    """Gradients of one input as the columns of its Jacobian."""
    jacobian = np.zeros((aval.numel, len(rows)), aval.dtype.np)
    for k, g in enumerate(rows):
        if g is not None:
            jacobian[:, k] = g.reshape(-1)
    return jacobian


def _all_close(a, b, rtol, atol) -> bool:
    common = np.promote_types(a.dtype, b.dtype)
    return bool(np.isclose(a.astype(common), b.astype(common), rtol, atol).all())


def _mismatch(analytical, numerical, output, given, part, how="") -> str:
    lead = "" if part is None else f"While considering the {part} part of complex outputs only, "
    return (f"{lead}Jacobian{how} mismatch for output {output} with respect to input {given},\n"
            f"numerical:{leaf(numerical)!r}\nanalytical:{leaf(analytical)!r}\n")
