"""Backends: the one of each device, and a new one in the place of XLA's."""

import copy
import pickle

import jax
import numpy as np
import pytest

import torchlike as torch
from torchlike._base.device import CPU, device
from torchlike._compile.backends import registry
from torchlike._compile.backends.backend import Backend
from torchlike._compile.backends.registry import MAKERS, backend_of
from torchlike._compile.backends.xla_cpu import XlaCpu
from torchlike._compile.kernels import cache
from torchlike._record.trace import run, state

QUESTIONS = [name for name in Backend.__annotations__ if name != "device"]
METHODS = [name for name, value in vars(Backend).items() if callable(value) and not name.startswith("_")]


class Interpreter(XlaCpu):
    """Runs kernels equation by equation by JAX, and counts them."""

    interpreted = 0

    def interpret(self, jaxpr, sizes=()):
        def run(*arrays):
            type(self).interpreted += 1
            with jax.enable_x64(True):
                return [np.asarray(x) for x in jax.core.eval_jaxpr(jaxpr.jaxpr, jaxpr.consts, *arrays)]

        return run


@pytest.fixture
def interpreter(monkeypatch):
    run(state.trace)
    cache.start_anew()
    run(state.trace)  # which lets go of the kernels that it holds
    monkeypatch.setitem(MAKERS, "cpu", Interpreter)
    monkeypatch.setattr(registry, "_found", {})
    yield Interpreter
    run(state.trace)
    cache.start_anew()
    run(state.trace)


@pytest.mark.parametrize("name", [*QUESTIONS, *METHODS])
@pytest.mark.parametrize("kind", MAKERS)
def test_every_backend_has_what_a_backend_has(kind, name):
    made = backend_of(device(kind))
    assert hasattr(made, name)
    assert name in QUESTIONS or getattr(type(made), name) is not getattr(Backend, name)


def test_a_backend_without_answers_is_seen():
    class Planted(Backend):
        pass

    assert not any(hasattr(Planted(), name) for name in QUESTIONS)


def test_equal_devices_are_the_same_object():
    second = device("cuda:1")
    assert second is device("cuda", 1) is device(1) is pickle.loads(pickle.dumps(second)) is copy.deepcopy(second)
    assert len({device("cpu"), device("cpu:0"), device("cuda"), second}) == 4


def test_a_device_has_one_backend():
    assert backend_of(CPU) is backend_of(device("cpu")) is not backend_of(device("meta"))


def test_a_new_backend_takes_the_place_of_another(interpreter):
    """Nothing but the registry knows of it: forward, backward and an in-place step."""
    with torch.configure(compile="off"):
        w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        (w * w).sum().backward()
        assert w.grad.tolist() == [2.0, 4.0, 6.0]
        with torch.no_grad():
            w -= 0.5 * w.grad
        assert w.tolist() == [0.0, 0.0, 0.0]
    assert interpreter.interpreted >= 4


def test_a_program_of_a_new_backend_takes_its_arrays(interpreter):
    """The cold tier's numpy arrays are inputs of XLA's programs."""
    x = torch.arange(4.0).exp()
    x.tolist()
    with torch.configure(compile="now"):
        assert (x * 0 + 2).tolist() == [2.0, 2.0, 2.0, 2.0]


def test_where_there_is_no_device():
    with pytest.raises((AssertionError, RuntimeError), match=r"not compiled with CUDA|No CUDA GPUs|invalid device ordinal"):
        backend_of(device("cuda", 99)).hardware()
    assert backend_of(device("cuda", 99)).is_accelerator
    assert not backend_of(device("meta")).has_values


def test_meta_tensors_have_no_device_number():
    assert torch.ones(2, device="meta").get_device() == torch.ones(2).get_device() == -1
