"""A row that is registered at run time has every face, both derivatives, vmap, autocast, names and documentation."""

import inspect

import jax.numpy as jnp
import pytest

import torchlike as torch
from compat.api.trial import faces_of
from torchlike._modes import autocast
from torchlike._ops import dispatcher_names
from torchlike._ops.rules import ELEMENTWISE
from torchlike._ops.table import ROWS, op

LINE = "x**2 / (1 + |x|)."


def value(x):
    return x * x / (1 + abs(x))


def slope(x):
    return x * (2 + abs(x)) / (1 + abs(x)) ** 2


@pytest.fixture
def row(monkeypatch):
    """A pointwise operator of one operand, attached as the table's own are at import."""
    monkeypatch.setattr(autocast, "_handler", autocast._handler.__wrapped__)
    op("softsquare(Tensor self) -> Tensor", lambda x: x * x / (1 + jnp.abs(x)), promote="float", doc=LINE,
       grads={"self": lambda g, self: g * self * (2 + jnp.abs(self)) / (1 + jnp.abs(self)) ** 2},
       aliases=("softsq",), inplace_functions=("softsquare_",), autocast={"cpu": "fp32"}, **ELEMENTWISE)
    made = faces_of(ROWS["softsquare"])
    for name, method in made.methods.items():
        monkeypatch.setattr(torch.Tensor, name, method, raising=False)
    for name, function in made.functions.items():
        monkeypatch.setattr(torch, name, function, raising=False)
    yield ROWS["softsquare"]
    del ROWS["softsquare"]


def x(**options):
    return torch.tensor([-1.0, 0.5, 3.0], **options)


WANTED = [value(v) for v in (-1.0, 0.5, 3.0)]
SLOPES = [slope(v) for v in (-1.0, 0.5, 3.0)]


@pytest.mark.usefixtures("row")
class TestNewRow:
    def test_function_and_method(self):
        for name in ("softsquare", "softsq"):
            assert getattr(torch, name)(x()).tolist() == pytest.approx(WANTED)
            assert getattr(x(), name)().tolist() == pytest.approx(WANTED)
        assert torch.softsquare(torch.tensor([3])).dtype is torch.float32

    def test_in_place_and_out(self):
        for name in ("softsquare_", "softsq_"):
            t = x()
            assert getattr(t, name)() is t and t._version == 1
            assert t.tolist() == pytest.approx(WANTED)
        assert torch.softsquare_(x()).tolist() == pytest.approx(WANTED)
        out = torch.empty(3)
        assert torch.softsquare(x(), out=out) is out
        assert out.tolist() == pytest.approx(WANTED)

    def test_gradient(self):
        t = x(requires_grad=True)
        made = t.softsquare()
        assert made.grad_fn.name() == "SoftsquareBackward0"
        (g,) = torch.autograd.grad(made.sum(), t, create_graph=True)
        assert g.tolist() == pytest.approx(SLOPES)
        assert torch.autograd.gradgradcheck(torch.softsquare, (x(requires_grad=True).double(),))

    def test_tangent(self):
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(x(), torch.ones(3))
            tangent = torch.autograd.forward_ad.unpack_dual(dual.softsquare()).tangent
        assert tangent.tolist() == pytest.approx(SLOPES)
        assert torch.func.jvp(torch.softsquare, (x(),), (torch.ones(3),))[1].tolist() == pytest.approx(SLOPES)

    def test_vmap(self):
        assert torch.func.vmap(torch.softsquare)(x()).tolist() == pytest.approx(WANTED)
        assert torch.func.vmap(torch.func.grad(torch.softsquare))(x()).tolist() == pytest.approx(SLOPES)

    def test_autocast(self):
        with torch.autocast("cpu"):
            assert torch.softsquare(x().bfloat16()).dtype is torch.float32
            assert x().bfloat16().exp().dtype is torch.bfloat16

    def test_names_and_documentation(self, row):
        assert dispatcher_names.packets(ROWS)["softsquare_"] == {"default": (row, True)}
        assert torch.softsquare.__doc__.startswith(LINE)
        assert str(inspect.signature(torch.softsquare)) == \
            "(input: 'Tensor', *, out: 'Tensor | None' = None) -> 'Tensor'"


def test_it_is_gone():
    assert "softsquare" not in ROWS
    assert not hasattr(torch.Tensor, "softsquare")
    assert not hasattr(torch, "softsquare_")
