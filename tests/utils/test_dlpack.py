"""Arrays of other libraries, against torch."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import torchlike
from compat import compare
from compat.compare.tolerances import REPORTS
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


@pytest.mark.parametrize("copy", [None, True, False])
def test_writes_are_seen_unless_it_is_a_copy(copy):
    found = []
    for t in (torch, torchlike):
        array = np.ones(3)
        made = t.from_dlpack(array, copy=copy)
        array[0] = 2
        made[1] = 3
        found.append((made.tolist(), array.tolist()))
    assert found[0] == found[1]


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


# -- pointers

DTYPES = ["float64", "float32", "float16", "bfloat16", "complex64", "complex128", "int64", "int32", "int8", "uint8", "bool"]


def _pointer(x):
    return x.__jax_array__().unsafe_buffer_pointer()


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_handed_out_is_the_memory_itself(dtype):
    x = torchlike.ones(1000).to(getattr(torchlike, dtype))
    if dtype == "bfloat16":  # numpy has no such dtype
        assert torch.from_dlpack(x).data_ptr() == _pointer(x)
        return
    theirs, array = torch.from_dlpack(x), np.from_dlpack(x)
    assert theirs.data_ptr() == array.ctypes.data == x.data_ptr()
    with jax.enable_x64(True):  # without, JAX makes 32 bits of 64
        assert jnp.from_dlpack(x).sum() == 1000
    theirs[0], array[1], x[2] = 0, 0, 0
    assert theirs.tolist() == array.tolist() == x.tolist() == [0, 0, 0, *[1] * 997]


# How a tensor gets another on its memory; `x` is that of the library, `t`.
SHARING = {"a tensor": "t.from_dlpack(x)", "of utils": "t.utils.dlpack.from_dlpack(x)",
           "copy=False": "t.from_dlpack(x, copy=False)",
           "a device": "t.from_dlpack(x, device='cpu')", "a capsule": "t.from_dlpack(x.__dlpack__())",
           "to_dlpack": "t.utils.dlpack.from_dlpack(t.utils.dlpack.to_dlpack(x))", "numpy": "np.from_dlpack(x)",
           "numpy's": "t.from_dlpack(np.from_dlpack(x))", "a view": "t.from_dlpack(x.T)[1]", "one": "t.from_dlpack(x[1, 2])",
           "a copy": "t.from_dlpack(x, copy=True)",
           "taken twice": "(lambda c: (t.from_dlpack(c), t.from_dlpack(c)))(x.__dlpack__())"}


@pytest.mark.parametrize("how", SHARING)
def test_writes_are_seen_on_both_sides(how):
    def run(t):
        x = t.arange(6).view(2, 3) * 1.0
        made = eval(SHARING[how], {"t": t, "x": x, "np": np})
        made[...] = 7
        first = x.tolist()
        x.mul_(2)
        return first, made.tolist(), getattr(made, "_version", 0), x._version, getattr(made, "_base", None) is None

    compare.check(run, tolerance=REPORTS)


@pytest.mark.parametrize("copy", [None, False])
def test_writes_leave_jax_arrays_alone(copy):
    """A program that writes in place takes the buffers of what nobody holds: not those of arrays from outside."""
    for _ in range(10):
        array = jnp.zeros(1000)
        made = torchlike.from_dlpack(array, copy=copy)
        made.add_(1)
        assert made.sum().item() == 1000
        assert array.sum() == 0


@pytest.mark.parametrize("copy", [True, False])
def test_writes_leave_others_memory_alone(copy):
    for _ in range(10):
        array, tensor = np.zeros(1000), torch.zeros(1000)
        for source, made in ((array, torchlike.from_dlpack(array, copy=True)),
                             (tensor, torchlike.from_torch(tensor, copy=copy))):
            made.add_(1)
            assert made.sum().item() == 1000
            assert source.sum() == 0


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_copy_does_not_see_writes(dtype):
    """JAX's own copy=True shares memory on the CPU, which is how bfloat16 arrives."""
    source = torch.ones(1000).to(getattr(torch, dtype))
    made = torchlike.from_dlpack(source, copy=True)
    source.zero_()
    assert (made != 0).sum().item() == 1000


def test_steps_write_into_memory_that_was_handed_out():
    def run(t):
        p = t.nn.Parameter(t.ones(1000))
        optimizer = t.optim.SGD([p], lr=0.1)
        views = []
        for _ in range(20):
            p.grad = t.ones(1000)
            optimizer.step()
            views.append(np.from_dlpack(p.detach()))
        return [view.tolist() for view in views] + [p.tolist()]

    compare.check(run, tolerance=REPORTS)


@pytest.mark.parametrize("call", ["t.ones(2, dtype=t.complex64).conj().__dlpack__()", "t.ones(2).__cuda_array_interface__",
                                  "t.empty(2, device='meta').__dlpack_device__()", "t.ones(2).__dlpack__(stream=1)",
                                  "t.eye(2).to_sparse().__dlpack__()",
                                  "t.ones(2, dtype=t.int64, requires_grad=False).__cuda_array_interface__",
                                  "t.ones(2, requires_grad=True).__cuda_array_interface__"])
def test_refusals(call):
    found = []
    for t in (torch, torchlike):
        with pytest.raises((BufferError, AttributeError, AssertionError, ValueError)) as caught:
            eval(call, {"t": t})
        found.append((caught.type, str(caught.value)))
    assert found[0] == found[1]
    assert not hasattr(torchlike.ones(2), "__cuda_array_interface__")
