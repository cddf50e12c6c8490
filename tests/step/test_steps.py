"""`torchlike.step_backward`: what each Node of a backward pass did, and going back and forth."""

import numpy as np
import pytest
import torch

import torchlike
from torchlike._step.formulas import mathematical
from torchlike._step.values import norm_of


def program(package):
    """(loss, leaves) of a small program in which a leaf is used twice."""
    package.manual_seed(0)
    x = package.randn(3, 4, requires_grad=True)
    w = package.randn(4, requires_grad=True)
    y = (x * w).tanh()
    return (y * y + w).mean(), {"x": x, "w": w}


def numbers(x):
    return None if x is None else x.detach().numpy()


def test_it_is_a_backward_pass():
    loss, leaves = program(torchlike)
    steps = torchlike.step_backward(loss)
    theirs, wanted = program(torch)
    order = []

    def note(node):
        name = node.name().removeprefix("torch::autograd::")
        node.register_prehook(lambda grads: order.append((name, grads[0].numpy())))
        for following, _ in node.next_functions:
            if following is not None and id(following) not in seen:
                seen[id(following)] = following
                note(following)

    seen = {}
    note(theirs.grad_fn)
    theirs.backward()
    assert [step.name for step in steps] == [name for name, _ in order]
    for step, (_, g) in zip(steps, order, strict=True):
        np.testing.assert_allclose(numbers(step.arrived[0]), g, rtol=1e-5)
    for name, leaf in leaves.items():
        np.testing.assert_allclose(numbers(leaf.grad), wanted[name].grad.numpy(), rtol=1e-5)


def test_what_goes_where():
    loss, _ = program(torchlike)
    steps = torchlike.step_backward(loss)
    by_name = {step.name: step for step in steps}
    tanh = by_name["TanhBackward0"]
    sent, = tanh.sent
    g, result = numbers(tanh.used[0]), numbers(tanh.saved["result"])
    np.testing.assert_allclose(numbers(sent.gradient), g * (1 - result * result), rtol=1e-6)
    assert steps[sent.to].name == "MulBackward0" == sent.name
    assert sent.formula == "g · (1 - result · result)"
    assert tanh.vjp.code == "def tanh_backward(g, result):\n    return g * (1.0 - result * result)"
    assert tanh.source == "y = (x * w).tanh()"
    first = steps[0]
    assert [each.name for each in first.sent] == ["AddBackward0"] and first.sent[0].formula == "g / 12"


def test_code_computes_what_is_sent():
    loss, _ = program(torchlike)
    for step in torchlike.step_backward(loss):
        if not step.vjp.code:
            continue
        names = {}
        exec("import jax.numpy as jnp\nfrom jax import lax\n" + step.vjp.code, names)
        function = next(value for key, value in names.items() if key.endswith("_backward"))
        values = {"g": step.used[0], **step.saved}
        wanted = function.__code__.co_varnames[:function.__code__.co_argcount]
        found = function(*(numbers(values[name]) for name in wanted))
        found = found if isinstance(found, tuple) else (found,)
        sent = [each for each in step.sent if each.gradient is not None]
        assert len(sent) == len(found)
        for each, g in zip(sent, found, strict=True):
            np.testing.assert_allclose(numbers(each.gradient), np.asarray(g), rtol=1e-5)


def test_accumulated():
    x = torchlike.tensor([1.0, 2.0], requires_grad=True)
    (3 * x).sum().backward()
    steps = torchlike.step_backward((x * x).sum())
    last = steps[len(steps) - 1]
    assert last.label == "x" and [numbers(g).tolist() for g in last.accumulated] == [[3, 3], [5, 7]]
    assert numbers(steps.grads(0)["x"]).tolist() == [3, 3]
    assert numbers(steps.grads(len(steps) - 1)["x"]).tolist() == [5, 7]
    x.grad.zero_()  # what was kept stays
    assert numbers(last.accumulated[1]).tolist() == [5, 7]


def test_back_and_forth():
    loss, _ = program(torchlike)
    steps = torchlike.step_backward(loss)
    assert steps.current is steps[0] and steps.back() is steps[0]
    assert steps.forward() is steps[1] and steps.forward(100) is steps[len(steps) - 1]
    assert steps.back(2) is steps[len(steps) - 3]
    steps.position = 0
    assert steps.until("TanhBackward0").name == "TanhBackward0"
    assert steps.until("MeanBackward0", back=True) is steps[0]
    assert steps.until("MeanBackward0") is None and steps.position == 0
    assert steps.until("x").label == "x"
    steps.position = 0
    line = steps[1].line
    assert steps.until(line) is steps[1]
    assert steps.until(lambda step: step.node.is_leaf).node.is_leaf
    steps.position = 0
    assert steps.until("", norm=1e9) is None
    assert steps.until("", norm=1e-9) is steps[1]


def test_first_nan():
    x = torchlike.tensor([0.0, 4.0], requires_grad=True)
    y = torchlike.where(x > 0, x.sqrt(), x)
    steps = torchlike.step_backward((y * 2).sum())
    assert steps.until("nan").name == "SqrtBackward0"  # 0 / 0
    assert not steps.current.is_finite and steps[0].is_finite
    assert steps.until("nan") is None


@pytest.mark.parametrize(("x", "norm"), [
    ([3, -4], 5), ([[3.0, 0.0], [0.0, 4.0]], 5), ([3 + 4j, 0j], 5), ([True, False], 1), (7.0, 7), ([], 0),
    ([3e30, 4e30], 5e30),  # their squares are no float32
])
def test_norms(x, norm):
    assert norm_of([torchlike.tensor(x), None]) == pytest.approx(norm, rel=1e-6)
    twice = (2 * norm**2 + 49) ** 0.5
    if not isinstance(x, float):
        assert norm_of([torchlike.tensor([x, x]).mT, torchlike.tensor(7)]) == pytest.approx(twice, rel=1e-6)


def test_hooks_run_and_are_seen():
    x = torchlike.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y.register_hook(lambda g: g * 10)
    steps = torchlike.step_backward(y.sum())
    step = steps[1]
    assert numbers(step.arrived[0]).tolist() == [1, 1] and numbers(step.used[0]).tolist() == [10, 10]
    assert x.grad.tolist() == [30, 30]
    assert "after hooks" in str(step)


def test_checkpoint_is_a_pass_inside():
    x = torchlike.tensor([1.0, 2.0], requires_grad=True)
    y = torchlike.utils.checkpoint.checkpoint(lambda t: t.sin() * t, x, use_reentrant=True)
    steps = torchlike.step_backward(y.sum())
    assert {step.depth for step in steps} == {0, 1}
    np.testing.assert_allclose(numbers(x.grad), np.sin([1, 2]) + np.cos([1, 2]) * [1, 2], rtol=1e-6)


def test_error_comes_where_it_was():
    x = torchlike.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    z = (y * 2).sum()
    y.data.mul_(2)
    with torchlike.no_grad():
        y.add_(1)
    steps = torchlike.step_backward(z)
    assert isinstance(steps.error, RuntimeError)
    seen = []
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        seen.extend(step.name for step in steps)
    assert steps[len(steps) - 1].name == "ExpBackward0"


def test_function_shows_its_own_backward():
    class Double(torchlike.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            return t * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torchlike.tensor([1.0], requires_grad=True)
    step = torchlike.step_backward(Double.apply(x).sum())[1]
    assert "return g * 2" in step.vjp.code and step.name == "DoubleBackward"


def test_write_to_a_view():
    x = torchlike.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1
    y[0] = x[1] * 5
    steps = torchlike.step_backward(y.sum())
    write = next(step for step in steps if step.name == "CopySlices")
    assert write.sent[0].formula == "g, in the place that was written to 0"
    assert numbers(write.sent[0].gradient).tolist() == [0, 1, 1]
    assert x.grad.tolist() == [0, 6, 1]


def test_explain_knows_of_the_pass_and_of_nothing_else():
    x = torchlike.ones(2, requires_grad=True)
    unused = torchlike.ones(2, requires_grad=True)
    y = unused.detach() * x
    torchlike.step_backward(y.sum())
    text = str(torchlike.explain(unused))
    assert "detach" in text and "backward() has not been called" not in text and "kept" not in text
    never = torchlike.ones(2, requires_grad=True)
    torchlike.step_backward((x * 2).sum())
    assert "nothing that is remembered has used it" in str(torchlike.explain(never))


def test_wrong_arguments():
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        torchlike.step_backward(3)
    with pytest.raises(RuntimeError, match="does not require grad"):
        torchlike.step_backward(torchlike.ones(1))
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        torchlike.step_backward(torchlike.ones(2, requires_grad=True) * 2)


@pytest.mark.parametrize(("code", "formula"), [
    ("g * jnp.cos(x)", "g · cos(x)"), ("x.T @ g", "xᵀ @ g"), ("g / (2.0 * result)", "g / (2 · result)"),
    ("(g * x).sum(axis=-1, keepdims=True)", "Σ(g · x, axis=-1)"), ("g.astype(jnp.float32)", "g"), ("a b", "a b"),
])
def test_formulas(code, formula):
    assert mathematical(code) == formula
