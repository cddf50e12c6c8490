"""Compare what two libraries made of one expression: values, gradients, second order, errors."""

import numpy as np

from compat import compare
from compat.compare.tolerances import ROWS
from tests.ops.cases import Side


def check_same(mine, theirs, what: str) -> None:
    """AssertionError that names what differs: dtype, shape, values."""
    if not hasattr(theirs, "detach"):
        assert mine == theirs or str(mine) == str(theirs), f"{what}: {mine!r} against torch's {theirs!r}"
        return
    found = compare.difference(compare.describe(theirs), compare.describe(mine), ROWS, what)
    assert not found, found


def outcome(side: Side, expression: str):
    """(results, None) or (None, exception)."""
    with compare.caught():
        try:
            return side.evaluate(expression), None
        except Exception as error:  # noqa: BLE001 - whatever a library raises is its answer
            return None, error


def check_forward(ours, torch, expression, dtype_name):
    """Same values and dtypes, or the same exception type. Returns both sides."""
    mine, theirs = Side(ours, dtype_name), Side(torch, dtype_name)
    want, their_error = outcome(theirs, expression)
    got, my_error = outcome(mine, expression)
    if their_error is not None:
        assert my_error is not None, f"{expression} [{dtype_name}]: torch raises {their_error!r}, we do not"
        assert isinstance(my_error, type(their_error)), (
            f"{expression} [{dtype_name}]: {my_error!r} against torch's {their_error!r}")
        return None
    if my_error is not None:
        raise AssertionError(f"{expression} [{dtype_name}]: {my_error!r}") from my_error
    assert len(got) == len(want), expression
    for i, (a, b) in enumerate(zip(got, want, strict=True)):
        check_same(a, b, f"{expression} [{dtype_name}] result {i}")
    return (mine, got), (theirs, want)


def first_gradients(side, torch, results, create_graph):
    """Gradients of a fixed combination of the differentiable results."""
    outs = [r for r in results if hasattr(r, "requires_grad") and r.requires_grad]
    if not outs or not side.inputs:
        return None
    random = np.random.default_rng(1)
    cotangents = []
    for out in outs:
        values = random.standard_normal(tuple(out.shape))
        if out.dtype.is_complex:
            values = values + 1j * random.standard_normal(tuple(out.shape))
        made = torch.tensor(np.asarray(values).tolist(), dtype=out.dtype) if values.size else \
            torch.zeros(tuple(out.shape), dtype=out.dtype)
        cotangents.append(made)
    return torch.autograd.grad(outs, side.inputs, cotangents, create_graph=create_graph, allow_unused=True)


def check_gradients(ours, torch, expression, dtype_name, second=False):
    """Same first (and second) gradients of the expression's inputs."""
    both = check_forward(ours, torch, expression, dtype_name)
    if both is None:
        return
    (mine, got), (theirs, want) = both
    flags = [bool(getattr(w, "requires_grad", False)) for w in want]
    assert [bool(getattr(g, "requires_grad", False)) for g in got] == flags, f"{expression}: requires_grad {flags}"
    expected = first_gradients(theirs, torch, want, second)
    found = first_gradients(mine, ours, got, second)
    assert (expected is None) == (found is None), f"{expression}: gradients exist on one side only"
    if expected is None:
        return
    _check_list(found, expected, f"{expression} [{dtype_name}] gradient")
    if second:
        _check_second(mine, theirs, ours, torch, found, expected, f"{expression} [{dtype_name}] second gradient")


def _check_second(mine, theirs, ours, torch, found, expected, what):
    differentiable = [e is not None and e.requires_grad for e in expected]
    if not any(differentiable):
        return
    pick = [i for i, flag in enumerate(differentiable) if flag and found[i] is not None and found[i].requires_grad]
    if not pick:  # a linear row: PyTorch records its gradient's history, which leads to zeros
        zeros = first_gradients(theirs, torch, [e for e, flag in zip(expected, differentiable, strict=True) if flag],
                                False)
        assert not any(z is not None and np.any(compare.array(z)) for z in zeros), f"{what}: ours is not differentiable"
        return
    want = first_gradients(theirs, torch, [expected[i] for i in pick], False)
    got = first_gradients(mine, ours, [found[i] for i in pick], False)
    _check_list(got, want, what)


def _check_list(found, expected, what):
    for i, (a, b) in enumerate(zip(found, expected, strict=True)):
        if a is None or b is None:
            other = a if b is None else b
            assert other is None or not np.any(compare.array(other)), f"{what} {i}: {a} against torch's {b}"
            continue
        check_same(a, b, f"{what} {i}")
