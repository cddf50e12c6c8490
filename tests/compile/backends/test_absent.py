"""Devices that are not there: they can be named and compared; what is put on one raises PyTorch's error."""

import pytest
import torch

import torchlike


@pytest.mark.parametrize("word", ["mps", "mps:0", "xpu:1", "hpu", "xla", "privateuseone:2", "tpu", "mps:x"])
def test_names(word):
    def told(lib):
        try:
            made = lib.device(word)
            return repr(made), str(made), made.type, made.index, made == lib.device("cpu")
        except RuntimeError as error:
            return str(error)

    assert told(torchlike) == told(torch)


@pytest.mark.parametrize("word", ["mps", "xpu", "hpu"])
def test_copies_raise(word):
    def failure(lib):
        with pytest.raises((RuntimeError, AssertionError, ModuleNotFoundError)) as caught:
            lib.ones(2).to(word)
        return caught.type, str(caught.value)

    assert failure(torchlike) == failure(torch)


@pytest.mark.parametrize("make", [lambda lib: lib.zeros(2, device="mps"), lambda lib: lib.tensor([1.0], device="xla"),
                                  lambda lib: lib.nn.Linear(2, 3, device="hpu")], ids=["mps", "xla", "hpu"])
def test_nothing_is_made_there(make):
    for lib in (torch, torchlike):
        with pytest.raises((RuntimeError, NotImplementedError, ModuleNotFoundError)):
            make(lib)
