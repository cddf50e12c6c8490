"""`torchlike.diff.assert_same_gradients` and the like: planted errors are told of first, what is right passes."""

import unittest

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
import torch as real

import torchlike
from tests.speed import sampled
from torchlike._base.errors import UnsupportedError
from torchlike._diff import deep
from torchlike._record.trace import state

LIBRARIES = {"torch": real, "torchlike": torchlike, "jax": None}
PAIRS = [("torchlike", "jax"), ("torch", "jax"), ("torch", "torchlike"), ("jax", "jax")]
assert_same_gradients = torchlike.diff.assert_same_gradients
assert_same_training = torchlike.diff.assert_same_training


def numbers(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def layer(library: str, scale=1.0):
    """A layer with a loss, written in a library; `scale` is what an error plants in the bias's gradient."""
    torch = LIBRARIES[library]

    def of_torch(x, w, b):
        shift = b.detach() + (b - b.detach()) * scale
        return torch.tanh(x @ w + shift).square().mean()

    def of_jax(x, w, b):
        fixed = jax.lax.stop_gradient(b)
        return (jnp.tanh(x @ w + fixed + (b - fixed) * scale) ** 2).mean()

    return of_torch if torch is not None else of_jax


def failure(function, *args, **kwargs) -> list[str]:
    """The lines of an AssertionError."""
    with pytest.raises(AssertionError) as caught:
        function(*args, **kwargs)
    return str(caught.value).splitlines()


INPUTS = [numbers(3, 4), numbers(4, 5, seed=1), numbers(5, seed=2)]


@pytest.mark.parametrize(("f", "g"), sampled(PAIRS))
def test_the_same_layer(f, g):
    assert_same_gradients(layer(f), layer(g), INPUTS)


@pytest.mark.parametrize(("f", "g"), sampled(PAIRS, fast=lambda i: i == 0))
def test_a_planted_gradient_is_told_first_and_whose_it_is(f, g):
    lines = failure(assert_same_gradients, layer(f), layer(g, 1.001), INPUTS)
    mine, other = (f"{letter} ({layer(name).__name__})" for letter, name in (("f", f), ("g", g)))
    assert lines[0] == (f"{mine} and {other} part in the gradient of b (input 2): different; at fault: {other} (a numerical "
                        f"derivative in float64 agrees with {mine})")
    assert "the float64 reruns differ by" in lines[1] and "distance: absolute" in lines[2] and "farthest at [" in lines[3]
    assert "the same: value, gradient of x (input 0), gradient of w (input 1)" in lines
    (first, *_) = failure(assert_same_gradients, layer(f, 1.001), layer(g), INPUTS)
    assert "at fault: f" in first


@pytest.mark.slow
def test_a_value_comes_before_gradients():
    lines = failure(assert_same_gradients, torchlike.nn.functional.gelu, jax.nn.gelu, [numbers(7)])
    assert lines[0] == "f (gelu) and g (gelu) part in value: different"
    assert any(line.startswith("they part in gradient of ") for line in lines)


def test_less_exact():
    lines = failure(assert_same_gradients, real.log1p, lambda x: jnp.log(1 + x), [np.float32([1e-6, 1e-5])])
    assert lines[0] == "f (log1p) and g part in value: less exact; at fault: g"


def test_where_gradients_have_a_kink_nobody_is_blamed():
    (first, *_) = failure(assert_same_gradients, lambda x: real.max(x, 0).values, lambda x: jnp.max(x, 0), [np.ones(3, "f")])
    assert first == "f and g part in the gradient of x (input 0): different"


W = numbers(4, 4, seed=3)
MODULE = real.nn.Linear(4, 4)
KERNEL, BIAS = MODULE.weight.detach().numpy(), MODULE.bias.detach().numpy()
RIGHT = {
    "constants in float32": (lambda x: real.tanh(x @ (real.tensor(W) * 0.1)),
                             lambda x: jnp.tanh(x @ (jnp.asarray(W) * 0.1))),
    "a cast to float32": (lambda x: real.softmax(x, -1), lambda x: jax.nn.softmax(x.astype(jnp.float32), -1)),
    "a carry in float32": (lambda x: real.cumsum(x, 0)[-1],
                           lambda x: jax.lax.scan(lambda c, a: (c + a, None), jnp.zeros(4, jnp.float32), x)[0]),
    "a module": (MODULE, jax.jit(lambda x: x @ KERNEL.T + BIAS)),
    "trees, numbers and integers": (lambda x: {"y": (real.sin(x), 2.0), "i": real.argmax(x)},
                                    lambda x: {"y": (jnp.sin(x), 2.0), "i": jnp.argmax(x)}),
    "nan and infinities": (lambda x: real.sqrt(x / x), lambda x: jnp.sqrt(x / x)),
    "tuples with names": (lambda x: real.linalg.slogdet(x[:3, :3]), lambda x: jnp.linalg.slogdet(x[:3, :3])),
    "what reaches no input": (lambda x: real.ones(2), lambda x: jnp.ones(2)),
    "two of JAX": (lambda x: jnp.tanh(x).sum(), lambda x: jnp.tanh(x.astype(jnp.float32)).sum()),
}
X = np.concatenate([numbers(3, 4), np.zeros((1, 4), np.float32)])


@pytest.mark.parametrize("case", sampled(RIGHT, fast={"constants in float32"}))
def test_what_is_right_passes(case):
    assert_same_gradients(*RIGHT[case], [X])
    assert MODULE.weight.dtype == real.float32 and MODULE.weight.grad is None


@pytest.mark.slow
def test_what_is_nearly_right_does_not():
    wrong = [lambda x: jnp.tanh(x @ (jnp.asarray(W) * 0.1001)), lambda x: jax.nn.softmax(x.astype(jnp.float32) * 1.001, -1)]
    for (f, _), g in zip(RIGHT.values(), wrong, strict=False):
        (first, *_) = failure(assert_same_gradients, f, g, [X])
        assert first == "f and g part in value: different"


@pytest.mark.parametrize("dtype", sampled([jnp.bfloat16, np.float16, np.float64, np.complex64, np.complex128]))
def test_dtypes(dtype):
    x = numbers(3, 4) + (1j * numbers(3, 4, seed=5) if np.dtype(dtype).kind == "c" else 0)
    inputs = [x.astype(dtype), numbers(4, 2).astype(dtype)]
    assert_same_gradients(lambda x, w: real.tanh(x @ w), lambda x, w: jnp.tanh(x @ w), inputs)
    (first, *_) = failure(assert_same_gradients, lambda x, w: real.tanh(x @ w), lambda x, w: jnp.tanh(-x @ w), inputs)
    assert first.startswith("f and g part in value: ")


@pytest.mark.slow
def test_errors_of_some_ulps_are_seen():
    """Of modules that are closed over, beside a gradient that is nothing but rounding."""
    def of_torch(x, y):
        return MODULE(x), real.softmax(y, -1).sum()

    def of_jax(scale):
        return lambda x, y: (x @ (KERNEL * np.float32(scale)).T + BIAS, jax.nn.softmax(y, -1).sum())

    assert_same_gradients(of_torch, of_jax(1.0), [X, numbers(3, 5)])
    (first, why, *_) = failure(assert_same_gradients, of_torch, of_jax(1 + 2e-6), [X, numbers(3, 5)])
    assert first == "f (of_torch) and g part in value[0]: different" and "the float64 reruns differ by" in why
    assert MODULE.weight.dtype == real.float32


@pytest.mark.slow
def test_inputs_of_every_library_and_trees():
    inputs = [{"w": real.tensor(W), "b": jnp.ones(4)}, torchlike.tensor(X), 2]
    def of_torch(p, x, n):
        return torchlike.tanh(x @ p["w"] + p["b"]) * n

    assert_same_gradients(of_torch, lambda p, x, n: jnp.tanh(x @ p["w"] + p["b"]) * n, inputs)
    lines = failure(assert_same_gradients, of_torch, lambda p, x, n: jnp.tanh(x @ p["w"] + p["b"] * 2 - 1) * n, inputs)
    assert lines[0].startswith("f (of_torch) and g part in the gradient of p (input 0)['b']: different; at fault: g")


def test_what_they_give_differs():
    (first, *rest) = failure(assert_same_gradients, lambda x: (real.sin(x), x.cos()), lambda x: jnp.sin(x), [X])
    assert first == "f and g part in what they give: f alone has value[0], value[1]"
    assert "gradient" not in "".join(rest)


def test_of_which_library():
    def both(x):
        return (x * x).sum()

    with pytest.raises(TypeError, match=r"f \(both\) runs with the arrays of .*: say which is meant by libraries="):
        assert_same_gradients(both, both, [X])
    assert_same_gradients(both, both, [X], libraries=("torch", "jax"))
    assert_same_gradients(both, lambda x: x.square().sum(), [real.tensor(X)])
    with pytest.raises(TypeError, match=r"of no library's arrays, as far as a call shows:\n  torchlike: ZeroDivisionError"):
        assert_same_gradients(lambda x: 1 / 0, both, [X])
    with pytest.raises(TypeError, match="no such library: 'numpy'"):
        assert_same_gradients(both, both, [X], libraries=("numpy", "jax"))
    with pytest.raises(ZeroDivisionError):
        assert_same_gradients(lambda x: 1 / 0, both, [X], libraries=("torch", "jax"))


# training


def training(library: str, lr=0.1, wrong_step=None):
    """Three steps of Adam; in one of them the gradients of the one before are not cleared."""
    torch = LIBRARIES[library]

    def of_torch(w, x):
        w = torch.nn.Parameter(w)
        optimizer = torch.optim.Adam([w], lr=lr)
        for step in (1, 2, 3):
            if step != wrong_step:
                optimizer.zero_grad()
            loss = (x @ w).tanh().square().sum()
            loss.backward()
            optimizer.step()
            yield {"loss": loss, "w": w}

    def of_jax(w, x):
        optimizer = optax.adam(lr)
        state = optimizer.init(w)
        for _ in range(3):
            loss, g = jax.value_and_grad(lambda w: (jnp.tanh(x @ w) ** 2).sum())(w)
            updates, state = optimizer.update(g, state)
            w = optax.apply_updates(w, updates)
            yield {"loss": loss, "w": w}

    return of_torch if torch is not None else of_jax


@pytest.mark.parametrize(("f", "g"), sampled(PAIRS, fast=lambda i: i == 0))
def test_training(f, g):
    inputs = [numbers(4, 2), X]
    assert_same_training(training(f), training(g), inputs)
    (first, *_) = failure(assert_same_training, training(f), training(g, lr=0.1001), inputs)
    assert first.startswith("f (") and "part in w of step 1: different" in first


def test_training_with_an_error_in_one_step():
    inputs = [numbers(4, 2), X]
    lines = failure(assert_same_training, training("torchlike", wrong_step=2), training("torchlike"), inputs)
    assert "part in w of step 2: different" in lines[0]
    assert "the same: loss of step 1, w of step 1, loss of step 2" in lines
    assert_same_training(training("torchlike", wrong_step=2), training("torchlike"), inputs, steps=1)


def test_training_that_ends_early_or_yields_numbers():
    def short(w, x):
        for item in list(training("jax")(w, x))[:2]:
            yield {"loss": float(item["loss"]), "w": item["w"]}

    inputs = [numbers(4, 2), X]
    assert_same_training(training("torchlike"), short, inputs, steps=2)
    (first, *_) = failure(assert_same_training, training("torchlike"), short, inputs)
    assert first == "f (of_torch) and g (short) part in what they give: f (of_torch) alone has loss of step 3, w of step 3"


# engines


def planted(torch):
    x = torch.ones(3, requires_grad=True)
    y = x.sin() * (1.001 if torch is not real and state.thread.engine is None else 1.0)
    y.sum().backward()


def test_across():
    seen = []

    @torchlike.diff.across("tape", "jax")
    def right(self, torch, number):
        seen.append((self, number))
        planted_free = torch.full((2,), number, requires_grad=True)
        planted_free.exp().sum().backward()
        assert planted_free.grad is not None

    right("self", number=2.0)
    right("self", 3.0)
    assert set(seen) == {("self", 2.0), ("self", 3.0)}
    (first, *_) = failure(torchlike.diff.across("torch", "tape")(planted))
    assert first.startswith(f"torch and tape part in value at {__file__}:") and first.endswith("mul")
    with pytest.raises(TypeError, match="no parameter 'torch'"):
        torchlike.diff.across()(lambda x: None)
    with pytest.raises(ValueError, match="no such engine: 'numpy'"):
        torchlike.diff.across("tape", "numpy")


def test_what_a_program_raises_everywhere_is_raised():
    @torchlike.diff.across("tape", "jax")
    def failing(torch):
        assert torch.ones(2).sum().item() == 3.0

    with pytest.raises(AssertionError, match=r"assert 2\.0 == 3\.0") as caught:
        failing()
    assert caught.traceback[-1].name == "failing"

    @torchlike.diff.across("torch", "tape")
    def failing_under_one(torch):
        torch.ones(2).exp()
        if torch is real:
            raise KeyError("on purpose")

    (first, *_) = failure(failing_under_one)
    assert first.startswith("torch and tape part in ending at ")


@pytest.mark.slow
def test_without_pytorch(monkeypatch):
    there = deep.module_of

    def module_of(engine):
        if engine == "torch":
            raise UnsupportedError("the engine 'torch' where PyTorch is not installed")
        return there(engine)

    monkeypatch.setattr(deep, "module_of", module_of)
    with pytest.raises(unittest.SkipTest, match=r"tape and jax agree; not compared: .* PyTorch is not installed"):
        torchlike.diff.assert_same(lambda torch: torch.ones(2).exp())
    with pytest.raises(unittest.SkipTest, match="PyTorch is not installed"):
        torchlike.diff.assert_same(planted, ("torch", "tape"))
    (first, *_) = failure(torchlike.diff.assert_same, planted)
    assert first.startswith("tape and jax part in value at ")
