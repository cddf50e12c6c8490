"""`torchlike.lower`: the pure function of a program's leaves, and its sources, which run where torchlike is not."""

import ast
import functools
import pathlib
import subprocess
import sys

import jax
import numpy as np
import pytest

import torchlike as torch
from tests.lower import alone
from tests.lower.models import MODELS, Block
from tests.speed import case, sampled
from torchlike import nn
from torchlike._diff import terms
from torchlike._diff.driver import PROGRAMS, shipped_programs
from torchlike._lower.layout import WIDTH
from torchlike.nn import functional as F
from torchlike.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

aten = torch.ops.aten
ROOT = pathlib.Path(__file__).parents[2]


def gradients(lowered, loss) -> dict:
    """{"": the loss, leaf: its gradient}, by the tape."""
    found = torch.autograd.grad(loss, list(lowered.leaves.values()), retain_graph=True)
    return {"": loss.detach().numpy(), **{name: g.numpy() for name, g in zip(lowered.leaves, found, strict=True)}}


def assert_equal(got: dict, expected: dict) -> None:
    """Whether all values agree up to rounding."""
    assert got.keys() == expected.keys()
    for name, value in expected.items():
        scale = max(1.0, np.abs(value).max(initial=0))
        assert np.abs(got[name] - value).max(initial=0) <= (1e-6 if value.dtype != np.float64 else 1e-11) * scale, name


def by_jax(lowered) -> dict:
    """The same by `jax.grad` of the function."""
    with jax.enable_x64(True):
        value, found = jax.value_and_grad(lowered)(lowered.values())
    return {"": np.asarray(value), **{name: np.asarray(g) for name, g in found.items()}}


def assert_tidy(text: str) -> None:
    """Whether a source is formatted, and imports nothing but JAX."""
    tree = ast.parse(text)
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names} | {
        node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert all(name.partition(".")[0] == "jax" for name in imported)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert text.endswith("\n") and not text.endswith("\n\n") and "\n\n\n\n" not in text
    assert not any(line != line.rstrip() for line in text.splitlines())
    compile(text, "source", "exec")


# -- the sources, alone

def check_alone(folder, cases) -> None:
    """Runs the sources of {name: (lowered, loss)}, both kinds, and compares."""
    for name, (lowered, _) in cases.items():
        alone.write(folder, name, lowered)
        alone.write(folder, f"{name}_backward", lowered, backward=True)
    alone.run(folder)
    for name, (lowered, expected) in cases.items():
        for kind in ("", "_backward"):
            assert_equal(alone.read(folder, name + kind, lowered), expected)
            assert_tidy((folder / f"{name}{kind}.py").read_text())


@pytest.mark.slow
def test_source_of_a_small_model_runs_alone(tmp_path):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    inputs, targets = torch.randn(5, 3), torch.randn(5, 1)
    loss = F.mse_loss(model(inputs), targets)
    lowered = torch.lower(loss)
    check_alone(tmp_path, {"small": (lowered, gradients(lowered, loss))})
    text = lowered.source()
    assert "INPUTS = jnp.array(" in text and "TARGETS = jnp.array(" in text and 'params["0.weight"].T' in text
    assert "def loss(params):" in text and "torch" not in text.partition('"""\n')[2]


@pytest.mark.slow
def test_an_error_in_a_source_is_seen(tmp_path):
    """The comparison above finds what is planted here."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (w.exp() * 3).sum()
    lowered = torch.lower(loss)
    alone.write(tmp_path, "wrong", lowered)
    path = tmp_path / "wrong.py"
    text = path.read_text()
    assert "3.0" in text
    path.write_text(text.replace("3.0", "3.1"))
    alone.run(tmp_path)
    with pytest.raises(AssertionError):
        assert_equal(alone.read(tmp_path, "wrong", lowered), gradients(lowered, loss))
    path.write_text("import torchlike\n" + text)
    with pytest.raises(AssertionError, match="torchlike"):
        alone.run(tmp_path)


@pytest.mark.parametrize("name", sampled(MODELS, ci={"gpt", "lstm_cell"}))
def test_source_of_a_model_runs_alone(name, tmp_path):
    torch.manual_seed(0)
    loss, _ = MODELS[name]()
    lowered = torch.lower(loss)
    check_alone(tmp_path, {name: (lowered, gradients(lowered, loss))})


SHIPPED = {path.stem: path for path in shipped_programs() if terms.of_program(str(path)).ranks is None}
WORDS = {
    "checkpointed_transformer.py": ("@jax.checkpoint\ndef block(", 'params[f"blocks.{i}.norm1.weight"]'),
    "checkpointed_transformer_backward.py": ("lax.optimization_barrier((",),
    "custom_function.py": ("@jax.custom_vjp\ndef log_sum_exp(",),
}


def test_programs_are_all_that_are_shipped():
    assert len(shipped_programs()) == len(list(PROGRAMS.glob("*.py")))
    assert len(SHIPPED) > 7


@pytest.mark.parametrize("name", sampled(SHIPPED, ci={"custom_function"}))
def test_sources_of_a_shipped_program_run_alone(name, tmp_path):
    done = subprocess.run([sys.executable, "-m", "tests.lower.worker", str(SHIPPED[name]), str(tmp_path)],
                          capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-3000:]
    alone.run(tmp_path)
    with np.load(tmp_path / f"{name}.expected.npz") as file:
        expected = {f"a{i}": file[f"a{i}"] for i in range(len(file.files))}
    for kind in ("", "_backward"):
        with np.load(tmp_path / f"{name}{kind}.out.npz") as file:
            assert_equal(dict(file), expected)
        text = (tmp_path / f"{name}{kind}.py").read_text()
        assert_tidy(text)
        assert all(words in text for words in WORDS.get(f"{name}{kind}.py", ()))


@pytest.mark.slow
def test_functions_with_a_derivative_of_their_own_keep_it(tmp_path):
    """A power of complex numbers multiplies infinity with what is not taken."""
    x = torch.tensor([0.7, 1.3], requires_grad=True)
    loss = torch.pow(torch.complex(x, x * 0.3), torch.complex(x * 0.5, -x)).abs().sum()
    lowered = torch.lower(loss)
    check_alone(tmp_path, {"power": (lowered, gradients(lowered, loss))})
    assert "@jax.custom_jvp" in lowered.source() and "custom_jvp" not in lowered.backward_source()


# -- the function

@pytest.mark.parametrize("name", sampled(["resnet", "lstm_cell", "writes"], ci={"lstm_cell", "writes"}))
def test_function_has_the_gradients_of_the_tape(name):
    torch.manual_seed(0)
    loss, _ = MODELS[name]()
    lowered = torch.lower(loss)
    assert_equal(by_jax(lowered), gradients(lowered, loss))


@pytest.mark.slow
def test_function_is_one_of_its_leaves():
    """At other leaves it gives what the program would give there, also through what has no gradient."""
    def program(w):
        scale = w.detach().abs().max()
        with torch.no_grad():
            shift = w.mean() + torch.arange(3)
        return ((w / scale - shift) * w.round().detach()).square().sum()

    w = torch.tensor([0.6, -1.7, 2.4], requires_grad=True)
    lowered = torch.lower(program(w))
    other = torch.tensor([1.9, 0.7, -3.2], requires_grad=True)
    expected = program(other)
    expected.backward()
    with jax.enable_x64(True):
        value, found = jax.value_and_grad(lowered)({"w": other.detach().numpy()})
    assert abs(value - expected.item()) < 1e-4 and np.abs(found["w"] - other.grad.numpy()).max() < 1e-4


def test_after_the_program_was_computed():
    w = torch.ones(3, requires_grad=True)
    x, y = torch.arange(3.0), torch.full((3,), 2.0)
    loss = (w * x + y).sum()
    loss.item()
    assert torch.lower(loss)({"w": np.full(3, 2, np.float32)}) == 12.0


def test_what_is_gone_is_refused_by_name_and_kept_by_lowering():
    w = torch.ones(3, requires_grad=True)

    def program():
        loss = (w + torch.arange(3.0).exp()).sum()
        for _ in range(9):
            loss.item()
            (w * 2).sum().item()
        return loss

    loss = program()
    with pytest.raises(torch.UnsupportedError, match=r"lowering AddBackward0 .*test_lowered.*is gone.*torchlike\.lowering"):
        torch.lower(loss)
    with torch.lowering():
        loss = program()
    lowered = torch.lower(loss)
    assert_equal(by_jax(lowered), gradients(lowered, loss))


def test_errors():
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        torch.lower(1)
    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.lower(torch.ones(1))
    w = torch.ones(2, requires_grad=True)
    lowered = torch.lower((w * w).sum())
    if not jax.config.jax_enable_x64:
        with pytest.raises(RuntimeError, match="enable_x64"):
            jax.grad(lowered)(lowered.values())
    reentrant = checkpoint(torch.exp, w, use_reentrant=True).sum()
    with pytest.raises(torch.UnsupportedError, match="a reentrant checkpoint"):
        torch.lower(reentrant)


@pytest.mark.slow
def test_jaxpr_stablehlo_and_transforms():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    lowered = torch.lower((w.exp() * 2).sum())
    assert "exp" in str(lowered.jaxpr()) and "stablehlo.exponential" in lowered.stablehlo()
    with jax.enable_x64(True):
        batch = {"w": np.array([[0.0, 1], [2, 3]], np.float32)}
        assert np.allclose(jax.jit(jax.vmap(lowered))(batch), 2 * np.exp(batch["w"]).sum(1))
        assert np.allclose(jax.hessian(lowered)(lowered.values())["w"]["w"], np.diag(2 * np.exp([1, 2])), rtol=1e-6)


# -- checkpoints

def saved(lowered) -> int:
    """The bytes of what JAX keeps for the backward pass of a lowered program, besides its arguments."""
    with jax.enable_x64(True):
        return alone.saved_bytes(lowered, lowered.values())


def of_block(run) -> torch.Tensor:
    torch.manual_seed(0)
    block = Block(8, 2, 6)
    return run(block, torch.randn(2, 6, 8, requires_grad=True)).square().sum()


def policy(kept):
    def answer(ctx, op, *args, **kwargs):
        return CheckpointPolicy.MUST_SAVE if op in kept else CheckpointPolicy.PREFER_RECOMPUTE

    return functools.partial(create_selective_checkpoint_contexts, answer)


PRODUCTS = (aten.addmm.default, aten.mm.default, aten.bmm.default)


@pytest.mark.parametrize(("kept", "name"), [
    case(None, "policy=None", ci=False), case(PRODUCTS, "dots_saveable"),
    case(PRODUCTS[:2], "dots_with_no_batch_dims_saveable"),
    case((aten.gelu.default,), "save_only_these_names")])
def test_checkpoint_is_jax_checkpoint(kept, name):
    def run(block, x):
        extra = {} if kept is None else {"context_fn": policy(kept)}
        return checkpoint(block, x, use_reentrant=False, **extra)

    loss = of_block(run)
    lowered = torch.lower(loss)
    jaxpr = str(lowered.jaxpr())
    assert "remat" in jaxpr and (kept is not None or name in jaxpr)
    assert name in lowered.source() or kept is None
    plain = torch.lower(of_block(lambda block, x: block(x)))
    assert saved(lowered) < saved(plain)
    if kept is not None:
        assert saved(lowered) > saved(torch.lower(of_block(lambda block, x: checkpoint(block, x, use_reentrant=False))))
    assert_equal(by_jax(lowered), by_jax(plain))


@pytest.mark.slow
def test_checkpoint_in_backward_source_computes_again(tmp_path):
    loss = of_block(lambda block, x: checkpoint(block, x, use_reentrant=False, context_fn=policy((aten.gelu.default,))))
    lowered = torch.lower(loss)
    check_alone(tmp_path, {"again": (lowered, by_jax(lowered))})
