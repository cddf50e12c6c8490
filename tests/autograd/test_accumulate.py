"""Gradients that accumulate in ``.grad``: leaves, retain_grad, backward inside backward, other dtypes than the leaf's."""

import pytest

from compat.compare import check
from compat.compare.tolerances import EXACT
from tests.programs import same_as_torch

test_programs = same_as_torch("accumulation")


# -- grad_dtype

def leaf(lib, dtype=None):
    return lib.ones(2, requires_grad=True) if dtype is None else lib.ones(2, dtype=dtype, requires_grad=True)


def with_dtype(lib, x, dtype):
    x.grad_dtype = dtype
    return x


def after(lib, dtype, times=1, of=None, hook=False):
    """(.grad, dtypes that hooks see) of a leaf after backward passes."""
    x, seen = with_dtype(lib, leaf(lib, of), dtype), []
    if hook:
        x.register_hook(lambda g: seen.append(g.dtype))
    for _ in range(times):
        (x * 0.1).sum().backward()
    return x.grad, seen, x.grad_dtype


CASES = {
    "default": lambda lib: (leaf(lib).grad_dtype, lib.ones(1).grad_dtype, lib.ones(1).int().grad_dtype,
                            lib.ones(1, dtype=lib.complex64).grad_dtype),
    "smaller": lambda lib: after(lib, lib.float16), "larger": lambda lib: after(lib, lib.float64),
    "twice": lambda lib: after(lib, lib.float16, 2), "of a half": lambda lib: after(lib, lib.float32, 3, lib.float16),
    "hooks": lambda lib: after(lib, lib.float64, hook=True), "any": lambda lib: after(lib, None, 2),
    "autograd.grad": lambda lib: lib.autograd.grad((with_dtype(lib, (x := leaf(lib)), lib.float16) * 0.1).sum(), x),
    "twice through": lambda lib: lib.autograd.grad(
        ((x := with_dtype(lib, leaf(lib), lib.float64)) ** 3).sum(), x, create_graph=True)[0].dtype,
    "of no leaf": lambda lib: (leaf(lib) * 2).grad_dtype, "wrong": lambda lib: with_dtype(lib, leaf(lib), 3),
    "set of no leaf": lambda lib: with_dtype(lib, leaf(lib).clone(), lib.float16),
    "there is a gradient": lambda lib: with_dtype(lib, (x := leaf(lib), (x * 1).sum().backward())[0], lib.float16),
    "without history": lambda lib: with_dtype(lib, lib.ones(2), lib.float64).grad_dtype,
    "detached": lambda lib: with_dtype(lib, leaf(lib), lib.float16).detach().grad_dtype,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_grad_dtype(name):
    check(CASES[name], tolerance=EXACT)


def test_grad_dtype_of_a_transposed_leaf():
    def outcomes(lib):
        x = lib.ones(3, 2).t().detach().requires_grad_()
        x.grad_dtype = lib.float64
        (x * lib.arange(6.0).reshape(2, 3)).sum().backward()
        return x.grad, x.grad.stride()

    check(outcomes, tolerance=EXACT)


@pytest.mark.parametrize("dtypes", [("float64", "float32"), ("float64", "float64"), (None, "float16"), (None, "float64")])
def test_assignment_goes_by_grad_dtype(dtypes):
    def outcomes(lib):
        x = with_dtype(lib, leaf(lib), None if dtypes[0] is None else getattr(lib, dtypes[0]))
        x.grad = lib.ones(2, dtype=getattr(lib, dtypes[1]))
        if dtypes[0] is None:
            x.sum().backward()
        return x.grad

    check(outcomes, tolerance=EXACT)


def test_a_dtype_that_is_set_after_the_graph_was_made():
    def outcomes(lib):
        x = leaf(lib)
        for _ in range(2):
            loss = (x * 3).sum()
            with_dtype(lib, x, lib.float64)
            loss.backward()
        return x.grad

    check(outcomes, tolerance=EXACT)
