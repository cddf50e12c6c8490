"""`torch.types`, `torch.__config__`, `torch.__future__`, symbolic numbers: what packages ask of them. Against PyTorch."""

import typing

import pytest
import torch
import torch.types

import torchlike


def test_names():
    others = {*dir(typing), "os", "_qscheme", "DispatchKey", "Self"}
    names = [name for name in dir(torch.types) if not name.startswith("__") and name not in others]
    assert [name for name in names if not hasattr(torchlike.types, name)] == []
    assert isinstance(1, torchlike.types._Number)
    assert not isinstance(1, torchlike.types.py_sym_types)


@pytest.mark.parametrize("call", ["sym_max(1, 2.5)", "sym_min(1, 2.5)", "sym_int(-2.7)", "sym_float(2)", "sym_not(True)",
                                  "sym_ite(False, 1, 2)", "sym_sum([1, 2])"])
def test_symbolic(call):
    want, got = (eval(f"lib.{call}", {"lib": lib}) for lib in (torch, torchlike))
    assert (type(got), got) == (type(want), want)


def test_config():
    for lib in (torch, torchlike):
        assert lib.__config__.show().startswith("PyTorch built with:\n  - ")
        assert "at::get_num_threads()" in lib.__config__.parallel_info()
        assert isinstance(lib.__config__._cxx_flags(), str)


def test_conversions_can_make_new_parameters():
    for lib in (torch, torchlike):
        layer = lib.nn.Linear(2, 3)
        layer(lib.ones(1, 2)).sum().backward()
        old = layer.weight
        lib.__future__.set_overwrite_module_params_on_conversion(True)
        try:
            layer.double()
        finally:
            lib.__future__.set_overwrite_module_params_on_conversion(False)
        assert layer.weight is not old
        assert (old.dtype, layer.weight.dtype, layer.weight.grad.dtype) == (lib.float32, lib.float64, lib.float64)
        kept = layer.weight
        assert layer.float().weight is kept
        assert not lib.__future__.get_overwrite_module_params_on_conversion()
        assert not lib.__future__.get_swap_module_params_on_conversion()
    with pytest.raises(torchlike.UnsupportedError, match="set_swap_module_params_on_conversion"):
        torchlike.__future__.set_swap_module_params_on_conversion(True)
