"""The switches of TensorFloat32: what they say, against torch, and the precision in which kernels for a GPU are traced."""

import importlib
import warnings

import jax
import numpy as np
import pytest
import torch

import torchlike
from torchlike._base import dtypes as dt
from torchlike._base.device import CPU, device
from torchlike._compile import gradients, kernels, tangents
from torchlike._compile.avals import aval
from torchlike._ops.all import ROWS
from torchlike._record.trace import state

STATEMENTS = [
    "t.set_float32_matmul_precision('high')", "t.set_float32_matmul_precision('medium')",
    "t.set_float32_matmul_precision('highest')", "matmul.allow_tf32 = True", "matmul.allow_tf32 = False",
    "cudnn.allow_tf32 = False", "cudnn.flags().__enter__()", "cudnn.benchmark = True", "cudnn.enabled = False",
    "t.set_float32_matmul_precision('low')", "t.set_float32_matmul_precision(3)", "cudnn.allow_tf32 = 3",
    "matmul.allow_tf32 = 'yes'", "matmul.unknown",
    "cudnn.flags(enabled=True, benchmark=True, deterministic=True).__enter__()",
]


@pytest.fixture(autouse=True)
def _as_before():
    allowed = getattr(torch.backends, "__allow_nonbracketed_mutation")()  # PyTorch's tests forbid it when they are imported
    with allowed:
        yield
        _reset()


def _reset():
    for t in (torch, torchlike):
        t.set_float32_matmul_precision("highest")
        cudnn = importlib.import_module(f"{t.__name__}.backends.cudnn")
        cudnn.allow_tf32, cudnn.benchmark, cudnn.deterministic, cudnn.enabled = True, False, False, True


def _outcome(t, statement):
    cudnn, matmul = importlib.import_module(f"{t.__name__}.backends.cudnn"), t.backends.cuda.matmul
    said = ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(statement, {"t": t, "cudnn": cudnn, "matmul": matmul})
        except Exception as error:  # noqa: BLE001 - to be compared
            said = type(error).__name__, str(error)
    return (said, [str(w.message).partition(" (Triggered")[0] for w in caught], t.get_float32_matmul_precision(),
            matmul.allow_tf32, cudnn.allow_tf32, cudnn.benchmark, cudnn.deterministic, cudnn.enabled)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_settings(statement):
    assert _outcome(torchlike, statement) == _outcome(torch, statement)


def _kernel(name, place, *shapes, **params):
    """The kernel of a row."""
    ins = tuple(aval(shape, dt.float32, CPU) for shape in shapes)
    row = ROWS[name]
    spec = ("a",) * len(ins) + (None,) * (len(row.operands) - len(ins))
    kernels.cache.start_anew()
    return kernels.of_row(row, spec, ins, (), tuple(params.values()), place)


def _said(kernel):
    """The precision of the product in a kernel, which is traced and not run."""
    text = str(jax.make_jaxpr(kernel.jitted)(*(np.zeros(a.shape, np.float32) for a in kernel.ins)))
    return next((word for word in ("HIGHEST", "HIGH") if word in text), "")


CUDA = device("cuda", 0)
CONVOLUTION = {"stride": (1,), "padding": (0,), "dilation": (1,), "transposed": False, "output_padding": (0,), "groups": 1}


def _seen(place):
    """The precisions of a product and of a convolution."""
    return (_said(_kernel("mm", place, (2, 3), (3, 2))),
            _said(_kernel("convolution", place, (1, 2, 5), (3, 2, 3), **CONVOLUTION)))


@pytest.fixture
def without_gpu(monkeypatch):
    """Results on a GPU are described as if they were on the CPU: there need be none."""
    monkeypatch.setattr(kernels, "aval", lambda shape, dtype, place: aval(shape, dtype, CPU))


def test_kernels_for_a_gpu(without_gpu):
    assert _seen(CUDA) == ("HIGHEST", "HIGH")
    torchlike.backends.cuda.matmul.allow_tf32 = True
    torchlike.backends.cudnn.allow_tf32 = False
    assert _seen(CUDA) == ("HIGH", "HIGHEST")


@pytest.mark.parametrize("weight", [(3, 2, 3), (3, 2, 1)], ids=["convolution", "product"])
def test_gradients_of_convolutions_go_by_their_switch(without_gpu, weight):
    made = _kernel("convolution", CUDA, (1, 2, 5), weight, **CONVOLUTION)
    backward = gradients.plan(made, (0, 1)).route((0,)).kernel
    again = gradients.plan(backward, (0,)).route((0,)).kernel
    assert [_said(kernel) for kernel in (backward, again, tangents.of_kernel(made, (0,)))] == ["HIGH"] * 3


def test_kernels_for_the_cpu_are_as_they_were():
    torchlike.set_float32_matmul_precision("medium")
    assert _seen(CPU) == ("", "")


def test_what_is_recorded_goes_by_the_setting_of_its_time():
    x = torchlike.ones(3, 3)
    y = x @ x
    torchlike.set_float32_matmul_precision("high")
    assert y._cell.array is not None
    assert not state.trace.values
    z = x @ x
    assert z.tolist() == y.tolist()


def test_the_same_setting_again_costs_nothing():
    before = kernels.cache.generation
    torchlike.set_float32_matmul_precision("highest")
    assert kernels.cache.generation == before
