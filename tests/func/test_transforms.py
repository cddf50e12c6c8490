"""torch.func: transforms, nested with each other and with the tape, their errors and random numbers."""

import pytest

from compat.compare import check
from compat.compare.tolerances import REPORTS
from tests.programs import same_as_torch

test_programs = same_as_torch("func", "func_errors", "func_levels", "func_once", "func_random")


WITHOUT_DERIVATIVE = {
    "floor": lambda m, x, w: x * x.floor(), "norm of 0": lambda m, x, w: x / x.norm(0.0, -1, keepdim=True).expand_as(x),
    "round, then others": lambda m, x, w: x + (x.round() * 2 + 1), "a captured one": lambda m, x, w: x * (x.floor() * w),
    "of a captured one": lambda m, x, w: x * (x.ceil() + 1) * (w * 3).sin(), "only captured": lambda m, x, w: x * w.floor(),
    "a grad inside": lambda m, x, w: m.func.grad(lambda y: (y * y.floor() * x.ceil()).sum())(x) * x,
    "a vmap inside": lambda m, x, w: m.vmap(lambda y: y * y.floor() * x.ceil()[0])(x),
}


@pytest.mark.parametrize("name", WITHOUT_DERIVATIVE)
def test_what_has_no_derivative_inside_is_not_captured(name):
    def facts(m):
        x, w = m.tensor([[1.5, 2.0]]), m.tensor([[3.0, 4.0]], requires_grad=True)
        output, pull = m.func.vjp(lambda x: WITHOUT_DERIVATIVE[name](m, x, w), x)
        gradient = pull(m.ones_like(output))[0]
        of_captured = m.autograd.grad(output.sum(), w, retain_graph=True)[0].tolist() if output.requires_grad else None
        again, inner = m.func.grad(lambda x: (WITHOUT_DERIVATIVE[name](m, x, w).sum(), x.floor() + x), has_aux=True)(x)
        return (output.requires_grad, output.tolist(), gradient.requires_grad, gradient.tolist(), of_captured,
                again.requires_grad, again.tolist(), inner.requires_grad)

    check(facts, tolerance=REPORTS)
