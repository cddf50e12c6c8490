"""torch.func: transforms, nested with each other and with the tape, their errors and random numbers."""

import pytest

import torchlike
from compat.compare import check
from compat.compare.tolerances import REPORTS
from tests.programs import same_as_torch

test_programs = same_as_torch("func", "func_errors", "func_escapes", "func_levels", "func_once", "func_random")


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


STRIDED = {  # (of arange(6), what is done to it)
    "turned": (lambda x: x.reshape(2, 3).t(), lambda m, x: x.as_strided((2,), (1,))),
    "turned, inside another": (lambda x: x.reshape(2, 3).t(),
                               lambda m, x: m.func.grad(lambda y: y.as_strided((2,), (1,)).pow(3).sum())(x)),
    "a part": (lambda x: x[2:5], lambda m, x: x.as_strided((2,), (1,))),
    "a place in a part": (lambda x: x[2:5], lambda m, x: x.as_strided((2,), (1,), 3)),
    "a part of a part": (lambda x: x[2:5], lambda m, x: x[1:].as_strided((1,), (1,), 4)),
    "layout": (lambda x: x[1:].reshape(5, 1).t(), lambda m, x: x * x.stride(0) + x.storage_offset()),
    "other views": (lambda x: x.reshape(2, 3).t(),
                    lambda m, x: x.t().reshape(-1)[1:3] ** 2 + x[1:].unfold(0, 2, 1).sum(-1)[0]),
}


@pytest.mark.parametrize("name", STRIDED)
def test_memory_of_arguments(name):
    made, function = STRIDED[name]

    def facts(m):
        x = made(m.arange(6.0))
        return (m.func.vjp(lambda x: function(m, x), x)[0], m.func.jvp(lambda x: function(m, x), (x,), (m.ones_like(x),)),
                m.func.grad(lambda x: function(m, x).pow(2).sum())(x), m.func.jacfwd(lambda x: function(m, x))(x))

    check(facts, tolerance=REPORTS, kinds=(RuntimeWarning,))


def test_memory_beside_an_argument():
    """What PyTorch reads beside the argument has no place in a function of its elements."""
    with pytest.raises(torchlike.UnsupportedError, match="memory that its view of the storage does not have"):
        torchlike.func.grad(lambda x: x.as_strided((2,), (1,), 0).sum())(torchlike.arange(6.0)[2:5])
