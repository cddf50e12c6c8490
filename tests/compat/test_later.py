"""Names and arguments that PyTorch has since 2.14. Numbers and texts are those of 2.14.1."""

import importlib

import numpy as np
import pytest

import torchlike as torch
from compat.api import later
from torchlike.distributed.tensor.experimental import local_map
from torchlike.utils import flop_counter
from torchlike.utils.checkpoint import checkpoint


@pytest.mark.parametrize(("home", "name"), later.homes(), ids=".".join)
def test_each_is_at_home(home, name):
    found = getattr(importlib.import_module(home.replace("torch", "torchlike", 1)), name)
    assert found.__module__ == home.replace("torch", "torchlike", 1)
    assert found.__name__ == name


def test_rows_are_those_of_the_table():
    assert later.rows() == {"linalg_matrix_sqrth", "linalg_polar"}


def refused(text, function, *args, **kwargs) -> bool:
    with pytest.raises(torch.UnsupportedError, match=text):
        function(*args, **kwargs)
    return True


def test_complex_numbers_of_two_bfloat16_are_a_name():
    assert repr(torch.bcomplex32) == "torch.bcomplex32"
    assert (torch.bcomplex32.itemsize, torch.bcomplex32.is_complex, torch.bcomplex32.abbr) == (4, True, "bc32")
    assert torch.bcomplex32.to_real() is torch.bfloat16
    assert refused("torch.bcomplex32: JAX has no complex numbers of half precision", torch.zeros, 2, dtype=torch.bcomplex32)
    assert refused("torch.bcomplex32: JAX has no complex numbers", torch.ones(2).to, torch.bcomplex32)


def test_the_compiler():
    def function(x):
        return x

    assert torch.compiler.nonstrict_trace(function) is function
    with pytest.raises(AssertionError, match="nonstrict_trace expects a callable"):
        torch.compiler.nonstrict_trace(3)
    assert torch.compiler.cudagraph_mark_warmup_incomplete() is None
    assert issubclass(torch.compiler.PrecompileError, RuntimeError)
    assert torch.compile(torch.sin, dynamic_shapes={})(torch.zeros(2)).tolist() == [0, 0]
    assert refused(r"torch\.compiler\.precompile is not supported", torch.compiler.precompile, function)


def test_generators():
    with pytest.raises(NotImplementedError, match="philox_state is not supported in this Generator"):
        torch.Generator().philox_state(4)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_generators_of_accelerators_without_one():
    assert torch.accelerator.random.get_rng_state_all() == []
    for function in (torch.accelerator.random.initial_seed, torch.accelerator.random.get_rng_state):
        with pytest.raises(RuntimeError):
            function()


def test_gamma_samples_of_a_generator():
    gamma, generator = torch.distributions.Gamma(torch.tensor([2.0, 3.0]), 1.0), torch.Generator()
    for draw in (lambda: gamma.sample((2,), generator=generator), lambda: gamma.rsample((2,), generator)):
        generator.manual_seed(5)
        np.testing.assert_allclose(draw(), [[1.1139, 1.7972], [1.4246, 7.2637]], atol=1e-4)
    concentration = torch.tensor(2.0, requires_grad=True)
    assert not torch.distributions.Gamma(concentration, 1.0).sample().requires_grad
    assert torch.distributions.Gamma(concentration, 1.0).rsample().requires_grad


@pytest.mark.parametrize(("options", "losses", "end"), [
    ({"line_search_fn": "strong_wolfe"}, [-49.0, -0.4185878], [0.6823, 0.6823]),
    ({"max_iter": 3}, [-49.0, -6.0516405], [1.9159, 0.1523])])
def test_lbfgs_maximizes(options, losses, end):
    p = torch.nn.Parameter(torch.tensor([3.0, -2.0]))
    optimizer = torch.optim.LBFGS([p], maximize=True, **options)

    def closure():
        optimizer.zero_grad()
        loss = -(p - 1).pow(2).sum() - (p[0] * p[1]).pow(2)
        loss.backward()
        return loss

    assert [optimizer.step(closure).item() for _ in range(2)] == pytest.approx(losses, rel=1e-5)
    np.testing.assert_allclose(p.detach(), end, atol=1e-4)
    assert optimizer.param_groups[0]["maximize"] is True
    assert "maximize" not in torch.optim.LBFGS([p]).param_groups[0]


def test_checkpoints_as_decorators():
    x = torch.ones(2, requires_grad=True)

    @checkpoint(use_reentrant=False)
    def region(a, b=2):
        """Multiplies."""
        return a.sin() * b

    assert (region.__name__, region.__doc__) == ("region", "Multiplies.")
    region(x, b=3).sum().backward()
    np.testing.assert_allclose(x.grad, 3 * np.cos([1, 1]), rtol=1e-6)
    with pytest.raises(ValueError, match="Unexpected keyword arguments: z"):
        checkpoint(use_reentrant=False, z=1)
    assert checkpoint(torch.sin, x, use_reentrant=False, respect_saved_tensors_hooks=False).requires_grad
    assert refused("respect_saved_tensors_hooks=True", checkpoint, torch.sin, x, use_reentrant=False,
                   respect_saved_tensors_hooks=True)


def test_functions_do_not_choose_dtypes_of_gradients():
    class Choosing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_output_grad_dtype(torch.float32)
            return x

    assert refused(r"FunctionCtx\.set_output_grad_dtype is not supported", Choosing.apply,
                   torch.ones(2, requires_grad=True))


def test_other_devices():
    with pytest.raises(AssertionError, match="Torch not compiled with XPU enabled"):
        torch.xpu.list_gpu_processes()
    assert refused(r"torch\.cuda\.graphs\.register_graph_destroy_hook is not supported: there are no captured graphs",
                   torch.cuda.graphs.register_graph_destroy_hook, len)


def test_other_arguments():
    assert flop_counter.addmm_flop((2,), (2, 3), (3, 4), None) == 48
    assert flop_counter.baddbmm_flop((2,), (5, 2, 3), (5, 3, 4), None, out_shape=()) == 240
    assert refused("spmd_types=True", local_map, torch.sin, [], spmd_types=True)
    assert refused(r"torch\.distributed\.checkpoint\.CheckpointableTensor is not supported",
                   importlib.import_module("torchlike.distributed.checkpoint").CheckpointableTensor)
