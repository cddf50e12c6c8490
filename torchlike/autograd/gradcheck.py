"""Gradients against finite differences.
https://pytorch.org/docs/stable/autograd.html#numerical-gradient-checking

The slow mode compares whole Jacobians element by element. The fast mode compares their products with
random vectors, and only where these differ makes the whole ones, for the error text.
"""

import warnings

import numpy as np

from torchlike._base.errors import UnsupportedError
from torchlike._base.settings import strided
from torchlike._record.leaf import leaf
from torchlike._record.tensor import Tensor
from torchlike.autograd import engine
from torchlike.autograd._gradcheck import properties as properties
from torchlike.autograd._gradcheck.jacobians import Backward, Differences, Forward, as_tuple, floating, room, vectors
from torchlike.autograd._gradcheck.jacobians import GradcheckError as GradcheckError
from torchlike.autograd._gradcheck.texts import FAST, SLOW_IS_FINE

_SPARSE_OUTPUT = ("Sparse output is not supported at gradcheck yet. Please call to_dense(masked_grad=...) on the output of "
                  "fn for gradcheck.")


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0,
              check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
              check_batched_forward_grad=False, check_forward_ad=False, check_backward_ad=True,
              fast_mode=False, masked=None) -> bool:
    """Compare the gradients of a function with central differences.
    https://pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html

    Args:
        func: a function of Tensors that returns a Tensor or a tuple of Tensors.
        inputs: a Tensor or a tuple; those that require grad are checked, and should be float64 or complex128.
        eps: the step of the differences.
        atol, rtol: how far gradients and differences may be apart.
        raise_exception: whether a difference is an error, not the answer False.
        nondet_tol: how far two backward passes may be apart.
        check_undefined_grad, check_grad_dtypes, check_batched_grad, check_batched_forward_grad: what to check besides.
        check_forward_ad, check_backward_ad: the modes to check.
        fast_mode: compare v J u for random vectors u and v instead of whole Jacobians.
        masked: whether the gradient of a zero gradient may be zero but for rounding; of sparse inputs, for which it must be
            true, the elements that they have are checked.

    Returns:
        Whether they agree.

    Raises:
        GradcheckError: they do not.
        AssertionError: options that do not go together.
        UnsupportedError: an input is sparse, and `masked` is not true.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    inputs = as_tuple(inputs)
    if any(isinstance(x, Tensor) and x._cell.layout is not strided for x in inputs):
        if not masked:
            raise UnsupportedError("gradcheck of a sparse input without masked=True")
        func, inputs = _on_values(func, inputs)
    check = _Check(func, inputs, eps, atol, rtol, nondet_tol, check_grad_dtypes, fast_mode)
    try:
        check.check_inputs()
        if check_backward_ad:
            check.backward()
        if check_forward_ad:
            check.forward(check_undefined_grad)
        if check_batched_forward_grad:
            properties.check_batched_forward(func, check.inputs)
        if check_backward_ad:
            check.properties(check_batched_grad, check_undefined_grad, bool(masked))
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _on_values(func, inputs) -> tuple:
    """A function of the values of sparse inputs, and its inputs."""
    whole = [x.coalesce() if isinstance(x, Tensor) and x.is_sparse else x for x in inputs]
    cells = [x._cell if isinstance(x, Tensor) and x._cell.layout is not strided else None for x in whole]

    def of_values(*args):
        given = [x if cell is None else cell.with_values(x) for x, cell in zip(args, cells, strict=True)]
        outputs = as_tuple(func(*given))
        if any(isinstance(x, Tensor) and x._cell.layout is not strided for x in outputs):
            raise ValueError(_SPARSE_OUTPUT)
        return outputs

    return of_values, tuple(x if cell is None else x.detach().values().requires_grad_(x.requires_grad)
                            for x, cell in zip(whole, cells, strict=True))


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3,
                  gen_non_contig_grad_outputs=False, raise_exception=True, nondet_tol=0.0,
                  check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
                  check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False, masked=False) -> bool:
    """Compare the second derivatives of a function with central differences of its gradients.
    https://pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradgradcheck.html

    Args:
        func, inputs: as for `gradcheck`.
        grad_outputs: the gradients of the outputs; random where it is None.
        gen_non_contig_grad_outputs: whether those are not contiguous.
        check_fwd_over_rev, check_rev_over_rev: the modes to check.
        eps, atol, rtol, raise_exception, nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad, fast_mode,
        masked: as for `gradcheck`.

    Returns:
        Whether they agree.

    Raises:
        GradcheckError: they do not.
        AssertionError: options that do not go together.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    if check_batched_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_batched_grad=True requires check_rev_over_rev to be True")
    inputs = as_tuple(inputs)
    if grad_outputs is None:
        outputs = _differentiable(func(*inputs))
        grad_outputs = tuple(_random_like(x, gen_non_contig_grad_outputs) for x in outputs)
    grad_outputs = as_tuple(grad_outputs)
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

    def __init__(self, func, inputs, eps, atol, rtol, nondet_tol, check_dtypes, fast):
        self.func, self.inputs, self.fast = func, inputs, fast
        self.eps, self.atol, self.rtol = eps, atol, rtol
        self.nondet_tol, self.check_dtypes = nondet_tol, check_dtypes
        self.wanted = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x._edge is not None]
        self.leaves = [inputs[i] for i in self.wanted]

    def check_inputs(self) -> None:
        """What is to be checked can be."""
        for i in self.wanted:
            aval = self.inputs[i]._cell.aval
            if aval.dtype.name not in ("float64", "complex128"):
                warnings.warn(f"Input #{i} requires gradient and is not a double precision floating point or "
                              "complex. This check will likely fail if all the inputs are not of double "
                              "precision floating point or complex. ", stacklevel=3)
            if any(stride == 0 and size > 1 for stride, size in zip(aval.strides, aval.shape, strict=True)):
                raise RuntimeError(f"The {i}th input has a dimension with stride 0. gradcheck only supports "
                                   "inputs that are non-overlapping to be able to compute the numerical "
                                   "gradients correctly. You should call .contiguous on the input before "
                                   "passing it to gradcheck.")
        if not self.wanted:
            raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of "
                             "them have requires_grad=True.")

    def properties(self, check_batched, check_undefined, masked) -> None:
        """The other properties of a backward."""
        outputs = _differentiable(self.func(*self.inputs))
        if check_batched:
            properties.check_batched(outputs, self.leaves)
        properties.check_scales_with_grad(outputs, self.leaves, masked)
        if check_undefined:
            properties.check_undefined(self.func, self.inputs, self.leaves, _differentiable)

    # -- backward

    def backward(self) -> None:
        """Backward against differences; of complex results the imaginary and the real parts."""
        results = as_tuple(self.func(*self.inputs))
        compare = self._backward_fast if self.fast else self._backward_slow
        if not any(out._cell.aval.dtype.is_complex for out in results):
            compare(self.func, "", ())
            return
        which = [i for i, out in enumerate(_differentiable(results)) if out._cell.aval.dtype.is_complex]
        for part, name in (("imag", "imaginary"), ("real", "real")):
            compare(_PartOfOutput(self.func, part), f"While considering the {name} part of complex outputs only, ", which)

    def _backward_slow(self, func, lead, which):
        results = as_tuple(func(*self.inputs))
        differences = Differences(func, self.inputs, self.eps)
        numerical = [differences.whole(x) for x in self.leaves]  # by input, then by output
        outputs = _differentiable(results)
        if not outputs and any(np.any(j != 0) for by_output in numerical for j in by_output):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        for i, (k, out) in enumerate(zip(_places(results), outputs, strict=True)):
            analytical = Backward(self.leaves, self.nondet_tol, self.check_dtypes).whole(out)
            for j, a in enumerate(analytical):
                if not _all_close(a, numerical[j][k], self.rtol, self.atol):
                    raise GradcheckError(_mismatch(lead if i in which else "", "", i, j, numerical[j][k], a))

    def _backward_fast(self, func, lead, which):
        results = as_tuple(func(*self.inputs))
        outputs, differences = _differentiable(results), Differences(func, self.inputs, self.eps)
        us, vs = vectors(self.leaves, outputs)
        numerical = [differences.along(x, u) for x, u in zip(self.leaves, us, strict=True)]
        if not outputs and any(j.size and np.abs(j).max() > self.nondet_tol for by_output in numerical for j in by_output):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        backward = Backward(self.leaves, self.nondet_tol, self.check_dtypes)
        analytical = [backward.along(out, v, us) for out, v in zip(outputs, vs, strict=True)]
        places = _places(results)
        for j, u in enumerate(us):
            for i, v in enumerate(vs):
                a, n = analytical[i][j], numerical[j][places[i]] @ v
                if not _all_close(a, n, self.rtol, room(self.atol, u, v)):
                    whole = differences.whole(self.leaves[j])[places[i]], backward.whole(outputs[i])[j]
                    raise GradcheckError(_mismatch(lead if i in which else "", "", i, j, n, a) + self._slowly(*whole))

    def _slowly(self, numerical, analytical) -> str:
        """What the fast mode's error says of the whole Jacobians."""
        worst = np.abs(numerical - analytical).max() if numerical.size else 0.0
        text = FAST.format(_shown(numerical), _shown(analytical), _shown(worst))
        return text + SLOW_IS_FINE if _all_close(analytical, numerical, self.rtol, self.atol) else text

    # -- forward mode

    def forward(self, check_undefined) -> None:
        """Forward mode against differences; by complex inputs by their imaginary and their real parts."""
        which = [i for i, x in enumerate(self.inputs) if isinstance(x, Tensor) and x.is_complex()]
        functions = [(self.func, self.inputs, "")]
        if which:
            functions = [(_PartOfInput(self.func, self.inputs, which, part), _parts_of(self.inputs, part),
                          f"While considering the {name} part of complex inputs only, ")
                         for part, name in (("imag", "imaginary"), ("real", "real"))]
        for func, inputs, lead in functions:
            (self._forward_fast if self.fast else self._forward_slow)(func, inputs, lead, which)
        for func, inputs, _ in functions if check_undefined else ():
            properties.check_undefined_forward(func, inputs)

    def _forward_slow(self, func, inputs, lead, which):
        differences, forward = Differences(func, inputs, self.eps), Forward(func, inputs, self.check_dtypes)
        numerical = [differences.whole(inputs[i]) for i in self.wanted]
        analytical = [forward.whole(i) for i in self.wanted]
        for i, out in enumerate(floating(func(*inputs))):
            for j in range(len(self.wanted)):
                a, n = analytical[j][i], numerical[j][i]
                if out._edge is not None and not _all_close(a, n, self.rtol, self.atol):
                    raise GradcheckError(_mismatch(lead if j in which else "", "computed with forward mode ", i, j, n, a))

    def _forward_fast(self, func, inputs, lead, which):
        differences, forward = Differences(func, inputs, self.eps), Forward(func, inputs, self.check_dtypes)
        us, _ = vectors([inputs[i] for i in self.wanted], ())
        for j, (k, u) in enumerate(zip(self.wanted, us, strict=True)):
            for i, (a, n) in enumerate(zip(forward.along(k, u), differences.along(inputs[k], u), strict=True)):
                if not _all_close(a, n, self.rtol, room(self.atol, u)):
                    whole = differences.whole(inputs[k])[i], forward.whole(k)[i]
                    raise GradcheckError(_mismatch(lead if j in which else "", "computed with forward mode ", i, j, n, a)
                                         + self._slowly(*whole))


class _PartOfOutput:
    """`func` with the real or imaginary parts of its complex outputs."""

    def __init__(self, func, part):
        self.func, self.part = func, part

    def __call__(self, *inputs):
        return tuple(getattr(out, self.part) if out._cell.aval.dtype.is_complex else out
                     for out in as_tuple(self.func(*inputs)))


class _PartOfInput:
    """`func` as a function of the real or imaginary parts of its complex inputs, the other parts as they are."""

    def __init__(self, func, inputs, which, part):
        self.func, self.which, self.part = func, which, part
        other = "real" if part == "imag" else "imag"
        self.kept = {i: getattr(inputs[i].detach(), other).clone() for i in which}

    def __call__(self, *inputs):
        given = list(inputs)
        for i in self.which:
            given[i] = self.kept[i] + given[i] * 1j if self.part == "imag" else given[i] + self.kept[i] * 1j
        return as_tuple(self.func(*given))


def _parts_of(inputs, part) -> tuple:
    """The inputs, of complex ones these parts: leaves of their own."""
    return tuple(getattr(x.detach(), part).clone().requires_grad_(x._edge is not None)
                 if isinstance(x, Tensor) and x.is_complex() else x for x in inputs)


# -- helpers

def _differentiable(x) -> tuple:
    return tuple(out for out in as_tuple(x) if out._edge is not None)


def _places(results) -> list:
    """Where the differentiable results are among the floating-point ones."""
    return [k for k, out in enumerate(floating(results)) if out._edge is not None]


def _all_close(a, b, rtol, atol) -> bool:
    common = np.promote_types(np.asarray(a).dtype, np.asarray(b).dtype)
    return bool(np.isclose(np.asarray(a, common), np.asarray(b, common), rtol, atol).all())


def _shown(array) -> str:
    """As PyTorch formats a tensor: a single number as Python does."""
    array = np.asarray(array)
    return f"{leaf(array)!r}" if array.ndim else f"{array.item()}"


def _mismatch(lead, how, output, given, numerical, analytical) -> str:
    return (f"{lead}Jacobian {how}mismatch for output {output} with respect to input {given},\n"
            f"numerical:{_shown(numerical)}\nanalytical:{_shown(analytical)}\n")
