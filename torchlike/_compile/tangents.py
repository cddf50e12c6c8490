"""Forward mode: how a kernel's results move when its operands do.

A row's derivative is written down once, as its gradient. The tangent is the transpose of that: the
gradient is a linear function of the incoming one, and `jax.vjp` of this function is the tangent, with
PyTorch's values at ties, zeros and bounds. Element by element the two are the same. Where the gradient
is `jax.vjp` of the row's own function, the tangent is `jax.jvp` of it. A row whose gradient is not its tangent's transpose
says so, and has both (`apart.py`).
"""

import jax
import jax.numpy as jnp

from torchlike._base import dtypes as dt
from torchlike._compile import apart, gradients, kernels
from torchlike._compile.kernels import Kernel, TracedKernel


def of_kernel(kernel: Kernel, moving: tuple) -> Kernel:
    """The kernel of the tangents of the floating-point results of `kernel`, in order.

    Its arrays are those of `kernel`, then the tangents of the operands `moving`; its numbers the same.
    """
    def make():
        count = len(kernel.ins)

        def function(*arrays):
            tangents, numbers = arrays[count:count + len(moving)], arrays[count + len(moving):]
            return tuple(values(kernel, moving, arrays[:count], tangents, numbers))

        ins = (*kernel.ins, *(kernel.ins[i] for i in moving))
        return TracedKernel(f"{kernel.name}_tangent", function, tuple(a.plain for a in ins), kernel.numbers, kernel.device,
                      precision=kernel.precision, recipe=(of_kernel, (kernel, moving)))

    return kernels.cache.intern(("tangent", kernel, moving), make)


def moving_results(kernel: Kernel, moving: tuple) -> tuple:
    """The results that have a tangent when these operands have one."""
    flags = gradients.differentiable_operands(kernel)
    if not any(flags[i] for i in moving):
        return ()
    return tuple(i for i, a in enumerate(kernel.outs) if a.dtype.category >= dt.FLOAT)


def values(kernel, moving, arrays, tangents, numbers) -> list:
    """The tangents of the floating-point results, as jax arrays."""
    row, names = kernel.row, gradients.operand_names(kernel)
    flags = gradients.differentiable_operands(kernel)
    by_rule, by_jax = {}, {}
    floats = moving_results(kernel, moving)
    if row is not None and row.tangent == "fn apart" and floats:
        return _apart(kernel, {i: t for i, t in zip(moving, tangents, strict=True) if flags[i]}, arrays, numbers, floats)
    for i, tangent in zip(moving, tangents, strict=True):
        if flags[i]:
            ruled = row is not None and not row.tangent and not isinstance(row.grads[names[i]], str)
            (by_rule if ruled else by_jax)[i] = tangent
    found = [jnp.zeros(kernel.outs[i].shape, kernel.outs[i].dtype.np) for i in floats]
    for i in [i for i in by_rule if _elementwise(kernel, i)]:
        found = _add(found, _element_by_element(kernel, i, by_rule.pop(i), arrays, numbers, floats))
    if by_jax:
        found = _add(found, _by_jax(kernel, by_jax, arrays, numbers, floats))
    if by_rule:
        found = _add(found, _by_rule(kernel, by_rule, arrays, numbers, floats))
    return found


def _add(a, b):
    return [x + y for x, y in zip(a, b, strict=True)]


def _by_jax(kernel, tangents, arrays, numbers, floats):
    def function(*moved):
        full = list(arrays)
        for i, value in zip(tangents, moved, strict=True):
            full[i] = value
        results = kernel.function(*full, *numbers)
        return tuple(results[i] for i in floats)

    return jax.jvp(function, tuple(arrays[i] for i in tangents), tuple(tangents.values()))[1]


def _apart(kernel, tangents, arrays, numbers, floats):
    """The tangents of a function that is linear in what moves, with the gradient as what JAX takes for their transpose."""
    forms = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arrays]
    indices = tuple(i for i, a in enumerate(kernel.ins) if a.dtype.category < dt.FLOAT)
    count = len(indices)

    def given(fixed):
        zeros = [jnp.zeros(form.shape, form.dtype) for form in forms]
        for i, index in zip(indices, fixed, strict=False):
            zeros[i] = index
        return zeros

    def forward(*both):
        moved = dict(zip(tangents, both[count + len(numbers):], strict=True))
        return _by_jax(kernel, moved, given(both), both[count:count + len(numbers)], floats)

    def backward(*both):
        fixed, cotangents = both[:count + len(numbers)], both[count + len(numbers):]
        plan, arrays = gradients.plan(kernel, tuple(tangents)), given(fixed)
        pull = gradients.backward_function(plan, plan.needed, floats)
        found = pull(*map(jnp.conj, cotangents), *(arrays[i] for i in plan.save_ins), *fixed[count:])
        return [jnp.conj(g) for g in found]

    return apart.apply(forward, backward, (*(arrays[i] for i in indices), *numbers), tuple(tangents.values()))


def _by_rule(kernel, tangents, arrays, numbers, floats):
    """The transpose of the gradient. PyTorch's gradients of complex numbers are conjugates of JAX's."""
    backward, results = _gradient(kernel, tuple(tangents), arrays, numbers, floats)
    # The gradient is linear in g, but says so with where(g == 0, 0, ...) in places: not to be taken at zero.
    _, pull = jax.vjp(backward, *(jnp.ones_like(results[i]) for i in floats))
    return [jnp.conj(t) for t in pull(tuple(jnp.conj(t) for t in tangents.values()))]


def _gradient(kernel, operands, arrays, numbers, floats) -> tuple:
    """(the gradients of `operands` as a function of those of the results `floats`, the results)."""
    plan = gradients.plan(kernel, operands)
    results = kernel.function(*arrays, *numbers)
    saved = (*(arrays[i] for i in plan.save_ins), *(results[i] for i in plan.save_outs), *numbers)
    backward = gradients.backward_function(plan, operands, floats)
    return (lambda *g: backward(*g, *saved)), results


def _elementwise(kernel, i) -> bool:
    """Whether the gradient of operand `i` is the tangent as well: real, element by element, not broadcast."""
    operand, result = kernel.ins[i], kernel.outs[0]
    return (kernel.row is not None and kernel.row.layout == "pointwise" and operand.shape == result.shape
            and not operand.dtype.is_complex and not result.dtype.is_complex)


def _element_by_element(kernel, i, tangent, arrays, numbers, floats):
    backward, results = _gradient(kernel, (i,), arrays, numbers, floats)
    (moved,) = backward(tangent.astype(results[0].dtype))
    return [moved.astype(results[0].dtype)]
