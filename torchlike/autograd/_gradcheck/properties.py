"""What `gradcheck` checks besides Jacobians: batches of gradients, and gradients that are zero or undefined."""

import warnings

import numpy as np

from torchlike._modes.transform import side_by_side
from torchlike._random.generator import draw
from torchlike._record.leaf import leaf
from torchlike._record.tensor import Tensor, wrap
from torchlike.autograd import engine
from torchlike.autograd._gradcheck import texts as texts
from torchlike.autograd._gradcheck.jacobians import Forward, GradcheckError, as_tuple, floating, values, vectors
from torchlike.autograd.forward_ad import dual_level, dual_of, unpack_dual
from torchlike.autograd.special_nodes import UndefinedGrad


def _normal_like(x) -> np.ndarray:
    """As `torch.randn_like`, from the user's generator."""
    aval = x._cell.aval
    if aval.dtype.is_complex:
        real = aval.dtype.to_real()
        flat = draw("normal", None, 2 * aval.numel, real.name, 0.0, 1.0) * np.sqrt(0.5).astype(real.np)
        return (flat[0::2] + 1j * flat[1::2]).astype(aval.dtype.np).reshape(aval.shape)
    return draw("normal", None, aval.numel, aval.dtype.name, 0.0, 1.0).astype(aval.dtype.np).reshape(aval.shape)


def _compare_batch(one, batch, pair, output, why) -> None:
    """`one` of each of the pair against `batch` of both; GradcheckError unless they agree."""
    expected = [np.stack(each) for each in zip(*([values(x) for x in one(p)] for p in pair), strict=True)]
    stacked = leaf(np.stack([values(p) for p in pair]), pair[0]._cell.aval.device)
    try:
        found = batch(stacked)
    except RuntimeError as error:
        raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{why}") from error
    for i, (got, wanted) in enumerate(zip(found, expected, strict=True)):
        got = values(got)
        if not np.allclose(got, wanted, 1e-5, 1e-8):
            raise GradcheckError(f"For output {i if output is None else output} and input {i}:\n\n{why}\n\nGot:\n{leaf(got)}"
                                 f"\n\nExpected:\n{leaf(wanted)}")


def check_batched(outputs, leaves) -> None:
    """Gradients of a batch are those of its elements."""
    for i, out in enumerate(outputs):
        def grads(g, out=out, batched=False):
            return engine.grad(out, leaves, g, retain_graph=True, materialize_grads=True, is_grads_batched=batched)

        pair = [leaf(_normal_like(out), out._cell.aval.device) for _ in range(2)]
        _compare_batch(grads, lambda g, grads=grads: grads(g, batched=True), pair, i, texts.BATCHED)


def check_batched_forward(func, inputs) -> None:
    """Tangents of a batch are those of its elements."""
    for i, x in enumerate(inputs):
        if not isinstance(x, Tensor) or x._edge is None:
            continue

        def push(tangent, i=i):
            with dual_level():
                moved = [y.detach() if isinstance(y, Tensor) else y for y in inputs]
                moved[i] = dual_of(moved[i], tangent)
                pairs = [unpack_dual(out) for out in as_tuple(func(*moved)) if out is not None]
                return [p.new_zeros(p.shape) if t is None else t for p, t in pairs]

        pair = [leaf(_normal_like(x), x._cell.aval.device) for _ in range(2)]
        _compare_batch(push, lambda t, push=push: side_by_side(push, [t], 2, False), pair, None, texts.BATCHED_FORWARD)


def check_scales_with_grad(outputs, leaves, masked) -> None:
    """The gradient of a zero gradient is zero, and like the input."""
    if not outputs:
        return
    grads = engine.grad(outputs, leaves, [_zeros_like(out) for out in outputs], allow_unused=True)
    for g, x in zip(grads, leaves, strict=True):
        if g is None:
            continue
        mine, theirs, found = g._cell.aval, x._cell.aval, values(g)
        if not np.allclose(found, 0, 1e-5, 1e-8) if masked else np.any(found != 0):
            raise GradcheckError("backward not multiplied by grad_output")
        if mine.dtype is not theirs.dtype:
            raise GradcheckError("grad is incorrect type")
        if mine.shape != theirs.shape:
            raise GradcheckError("grad is incorrect size")


def _zeros_like(x) -> Tensor:
    aval = x._cell.aval
    return leaf(np.zeros(tuple(aval.shape), aval.dtype.np), aval.device)


# -- undefined

def check_undefined(func, inputs, leaves, differentiable) -> None:
    """Backward takes undefined gradients, all or one at a time, for zeros."""
    count = len(differentiable(func(*inputs)))
    for chosen in [set(range(count))] + ([{i} for i in range(count)] if count > 1 else []):
        outputs = differentiable(func(*inputs))
        outputs = [_without_gradient(out) if i in chosen else out for i, out in enumerate(outputs)]
        try:
            grads = engine.grad(outputs, leaves, [_zeros_like(out) for out in outputs], allow_unused=True)
        except RuntimeError as error:
            warnings.warn(texts.UNDEFINED_IS_NEW, stacklevel=5)
            raise GradcheckError(texts.NO_UNDEFINED) from error
        if any(g is not None and np.any(values(g) != 0) for g in grads):
            warnings.warn(texts.UNDEFINED_IS_NEW, stacklevel=5)
            raise GradcheckError(texts.UNDEFINED_NOT_ZERO)


def _without_gradient(out) -> Tensor:
    made = wrap(out._cell)
    made._edge = (UndefinedGrad((engine.edge_for(out),), (out._cell.aval,)), 0)
    return made


def check_undefined_forward(func, inputs) -> None:
    """An input without a tangent is as one with a tangent of zeros."""
    forward = Forward(func, inputs)
    wanted = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x._edge is not None]
    us, _ = vectors([inputs[i] for i in wanted], ())
    with dual_level():
        tangents = {i: leaf(u.reshape(tuple(inputs[i].shape)), inputs[i]._cell.aval.device)
                    for i, u in zip(wanted, us, strict=True)}
        for i in wanted:
            others = {k: t for k, t in tangents.items() if k != i}
            with_zeros = floating(func(*forward.duals(others)))
            without = floating(func(*forward.duals(others, zeros=False)))
            for k, (one, other) in enumerate(zip(with_zeros, without, strict=True)):
                a, b = unpack_dual(one).tangent, unpack_dual(other).tangent
                if a is not None and b is not None and not np.allclose(values(a), values(b), 1e-5, 1e-8):
                    output, given, why, got, expected = texts.UNDEFINED_TANGENT
                    raise GradcheckError(output, k, given, inputs[i], why, got, a, expected, b)
