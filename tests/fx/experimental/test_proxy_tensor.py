"""`make_fx`: the same program text under both libraries, which computes the same."""

import pytest
import torch as theirs
import torch.fx.experimental.proxy_tensor as their_tensors

import torchlike as ours
import torchlike.fx.experimental.proxy_tensor as our_tensors

BOTH = ((ours, our_tensors), (theirs, their_tensors))
FUNCTIONS = {text: eval(f"lambda m: {text}") for text in """
lambda x, y: m.relu(x) + y * 2
lambda x, y: (x @ x.t(), {"a": y.sum(), "b": [3, None]})
lambda x, y: x.add_(1).view(-1)
lambda x, y: m.autograd.grad(x.sin().sum(), x)[0]
lambda x, y: m.autograd.grad((x.sin().exp() + y).sum(), (x, y))
lambda x, y: x * x.sum().item()
lambda x, y: x if x.sum() > 0 else -x
lambda x: x
lambda x, y: (x + 1, y)[1]
lambda x, y: 3
lambda *a: a[0] + a[1]
lambda x, y: x.softmax(-1).split(1, 1)
lambda x, y: m.nn.functional.gelu(m.nn.functional.layer_norm(x, (3,)))
lambda x, y: m.where(x > 0, x, y).max(dim=1)
lambda x, y: m.nn.functional.mse_loss(x, x.detach().softmax(1)).to(m.float64)
lambda x, y: m.cat([x, x])[:, None].mean() + x[0]
lambda x, y: x + m.tensor([1.0, 2.0, 3.0])
lambda x, y: m.ones_like(x).mul_(y).transpose(0, 1)
lambda x, y: y.sub_(1) + y.neg_()
lambda x, y: x.amax(1) + x.prod()
""".strip().splitlines()}


def texts(text, **options):
    found = []
    for m, tensors in BOTH:
        x, y = (m.arange(n, dtype=m.float32).reshape(shape).add(1).requires_grad_("grad" in text)
                for n, shape in ((6, (2, 3)), (3, (3,))))
        try:
            made = tensors.make_fx(FUNCTIONS[text](m), **options)(x, y)
        except Exception as error:  # noqa: BLE001 - whatever it raises is compared
            found.append(f"{type(error).__name__}: {error}")
            continue
        values = (n.meta.get("val") for n in made.graph.nodes)
        facts = [(each.shape, each.dtype) for each in values if isinstance(each, m.Tensor)]
        with m.no_grad():
            computed = str(made(x.detach().clone() * 2, y.detach().clone()))
        found.append("\n".join(map(str, (made, made.graph, facts, computed))))
    return [each.replace("torchlike", "torch") for each in found]


@pytest.mark.parametrize("mode", ["real", "fake"])
@pytest.mark.parametrize("text", FUNCTIONS)
def test_functions(text, mode):
    if mode == "fake" and ("item" in text or " if " in text):
        pytest.skip("PyTorch's error is that of its tensors without values")
    got, want = texts(text, tracing_mode=mode)
    assert got == want


def modules(m, tensors):
    """A Module with what it brings along, structures, and a decomposition."""
    class Model(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = m.nn.Linear(3, 3)
            self.register_buffer("shift", m.ones(3))

        def forward(self, x):
            return self.lin(x) + self.shift + self.shift

    m.manual_seed(0)
    x, w = m.ones(2, 3), m.full((3,), 2.0)
    table = {m.ops.aten._softmax.default: lambda x, dim, half: x.exp() / x.exp().sum(dim, keepdim=True)}
    made = [tensors.make_fx(Model())(x), tensors.make_fx(lambda d: d["a"] + d["b"][0] * w)({"a": x, "b": (w,)}),
            tensors.make_fx(lambda x: m.softmax(x, -1), decomposition_table=table)(x),
            tensors.make_fx(lambda x, n: x * n)(x, 3)]
    results = made[0](x), made[1]({"a": x * 2, "b": (w,)}), made[2](x)
    return (*map(str, made), results, sorted(dict(made[0].named_parameters())))


def around(m, tensors):
    """The mode that is asked, and where it is not."""
    seen = []

    def function(x):
        seen.append(tensors.get_proxy_mode() is not None)
        with tensors.disable_proxy_modes_tracing():
            seen.append(tensors.get_proxy_mode())
            x.sin()
        return x.cos()

    made = tensors.make_fx(function)(m.ones(2))
    with tensors.disable_proxy_modes_tracing():
        return seen, made.code, tensors.get_proxy_mode(), tensors.make_fx(function).__name__


@pytest.mark.parametrize("program", [modules, around])
def test_programs(program):
    got, want = (str(program(*each)).replace("torchlike", "torch") for each in BOTH)
    assert got == want


@pytest.mark.parametrize(("call", "args"), [
    (lambda f, make: make(f, tracing_mode="none"), 1), (lambda f, make: make(f)(), 1), (lambda f, make: make(f)(1, 2), 1)],
    ids=["mode", "fewer", "more"])
def test_errors(call, args):
    found = []
    for _, tensors in BOTH:
        with pytest.raises((AssertionError, RuntimeError)) as error:
            call(lambda x: x, tensors.make_fx)
        found.append((error.type, str(error.value)))
    assert found[0] == found[1]


@pytest.mark.parametrize(("function", "options"), [
    (lambda x: x, {"tracing_mode": "symbolic"}), (lambda x: x, {"pre_dispatch": True}),
    (lambda x: ours.vmap(lambda a: a * 2)(x), {}), (lambda x: x + ours.from_numpy(x.numpy() * 1), {}),
    (lambda x: ours.func.grad(lambda a: a.sin().sum())(x), {}),
    (lambda x: ours.autograd.grad(x.requires_grad_().cumprod(0).sum(), x), {})], ids=range(6))
def test_refusals(function, options):
    with pytest.raises(ours.UnsupportedError, match="make_fx"):
        our_tensors.make_fx(function, **options)(ours.ones(2, 2))
