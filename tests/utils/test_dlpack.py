"""Arrays of other libraries, against torch."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import torchlike
from torchlike.utils import dlpack

ARRAYS = [np.arange(6.0).reshape(2, 3), np.arange(4, dtype=np.int8)[::2], np.array([True, False]), np.array(2.5, np.float32),
          np.array([1 + 2j]), np.zeros((0, 3))]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{a.dtype}{a.shape}")
@pytest.mark.parametrize("copy", [None, True, False])
def test_from_numpy(array, copy):
    theirs, ours = torch.from_dlpack(array), torchlike.from_dlpack(array, copy=copy)
    assert str(ours.dtype) == str(theirs.dtype)
    assert ours.shape == theirs.shape
    assert ours.tolist() == theirs.tolist()
    assert ours.is_leaf


def test_a_copy_is_the_default():
    array = np.ones(1000)
    made = torchlike.from_dlpack(array)
    array[:] = 2
    assert made.sum().item() == 1000


def test_from_jax_torch_and_torchlike():
    for x in (jnp.ones(3, jnp.bfloat16), torch.ones(3, dtype=torch.bfloat16), torchlike.ones(3, dtype=torchlike.bfloat16)):
        made = torchlike.from_dlpack(x)
        assert made.dtype is torchlike.bfloat16
        assert made.tolist() == [1.0, 1.0, 1.0]
    assert torch.from_dlpack(torchlike.arange(3.0)).tolist() == [0.0, 1.0, 2.0]


def test_capsules():
    assert dlpack.from_dlpack(dlpack.to_dlpack(torchlike.arange(3))).tolist() == [0, 1, 2]
    assert torchlike.from_dlpack(torch.utils.dlpack.to_dlpack(torch.arange(3))).tolist() == [0, 1, 2]


@pytest.mark.parametrize("call", ["t.from_dlpack(3)", "t.from_dlpack(t.ones(2, requires_grad=True))",
                                  "t.from_dlpack(np.array(['a']))"])
def test_errors(call):
    found = []
    for t in (torch, torchlike):
        with pytest.raises((RuntimeError, BufferError, TypeError)) as caught:
            eval(call, {"t": t, "np": np})
        found.append((caught.type, str(caught.value)))
    assert found[0] == found[1]


def test_device_types():
    theirs = {name: int(value) for name, value in torch.utils.dlpack.DLDeviceType.__members__.items()}
    assert {name: int(value) for name, value in dlpack.DLDeviceType.__members__.items()} == theirs
