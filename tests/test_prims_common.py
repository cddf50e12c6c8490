"""`torch._prims_common` against PyTorch's."""

import pytest
import torch
import torch._prims_common as theirs

import torchlike
from torchlike import _prims_common as ours

DTYPES = ("bool", "uint8", "int64", "float16", "bfloat16", "float64", "complex64", "complex128", "float8_e5m2")


@pytest.mark.parametrize("name", ["is_boolean_dtype", "is_float_dtype", "is_complex_dtype", "is_integer_dtype"])
def test_kinds(name):
    for dtype in DTYPES:
        assert getattr(ours, name)(getattr(torchlike, dtype)) == getattr(theirs, name)(getattr(torch, dtype))


def test_parts_of_complex_numbers():
    for name in ("complex64", "complex128"):
        assert str(ours.corresponding_real_dtype(getattr(torchlike, name))) == str(
            theirs.corresponding_real_dtype(getattr(torch, name)))
    for name in ("float32", "float64"):
        assert str(ours.corresponding_complex_dtype(getattr(torchlike, name))) == str(
            theirs.corresponding_complex_dtype(getattr(torch, name)))


@pytest.mark.parametrize("shape", [(), (2,), (2, 3), (2, 0, 3), (4, 2, 3)])
def test_strides(shape):
    for by_rows in (True, False):
        assert ours.make_contiguous_strides_for(shape, by_rows) == theirs.make_contiguous_strides_for(shape, by_rows)


def test_layouts():
    x = torchlike.ones(2, 3)
    assert ours.is_contiguous_or_false(x)
    assert not ours.is_contiguous(x.t())
    ours.alert_not_deterministic("nothing is not")


@pytest.mark.parametrize("make", [
    "ones(2, 3)", "ones(2, 3, 4, 5)", "ones(2, 3, 4, 5).to(memory_format={}.channels_last)", "ones(2, 1, 1, 1)",
    "ones(1, 3, 1, 1)", "ones(2, 3, 4, 5, 6).to(memory_format={}.channels_last_3d)", "ones(2, 3, 4, 5).permute(0, 3, 1, 2)",
    "ones(2, 3, 1, 1).expand(2, 3, 4, 5)", "ones(2, 0, 4, 5).to(memory_format={}.channels_last)"])
def test_suggested_memory_formats(make):
    want, got = (library.suggest_memory_format(eval(f"{name}.{make.format(name)}", {name: module}))
                 for library, name, module in ((theirs, "torch", torch), (ours, "torchlike", torchlike)))
    assert str(got) == str(want)
