"""`torch.ops.aten` has the names of PyTorch's dispatcher, live."""

import pytest
import torch

import torchlike


def overloads(name) -> list:
    """PyTorch's, of an operator."""
    return [full.partition(".")[2] or "default" for full in torch._C._dispatch_get_all_op_names()
            if full.partition(".")[0] == f"aten::{name}"]


def test_every_operator_and_overload_is_there():
    names = {full.partition("::")[2].partition(".")[0] for full in torch._C._dispatch_get_all_op_names()
             if full.startswith("aten::")}
    assert len(names) > 1500
    lost = [f"{name}.{overload}" for name in sorted(names) for overload in overloads(name)
            if not hasattr(getattr(torchlike.ops.aten, name), overload)]
    assert lost == []


def test_one_object_for_each_and_none_for_others():
    aten = torchlike.ops.aten
    assert aten.new_zeros.default is aten.new_zeros.default and str(aten.add.out) == "aten.add.out"
    with pytest.raises(AttributeError, match="has no attribute 'new_ceros'"):
        _ = aten.new_ceros
    with pytest.raises(AttributeError, match=r"The underlying op of 'aten\.add' has no overload name 'other'"):
        _ = aten.add.other


@pytest.mark.parametrize("call", ["new_zeros.default({x}, [2, 3])", "expand_as.default({x}, {x})", "add.Scalar({x}, 1)",
                                  "add.out({x}, {x}, out={x}.clone())", "sum.IntList_out({x}, [0], out={x}.sum(0))"])
def test_calls(call):
    want, got = (eval(f"t.ops.aten.{call.format(x='t.ones(2, 2)')}", {"t": t}).tolist() for t in (torch, torchlike))
    assert got == want


def test_what_has_no_function_is_refused_by_name():
    with pytest.raises(torchlike.UnsupportedError, match=r"calling torch\.ops\.aten\.cudnn_convolution\.default"):
        torchlike.ops.aten.cudnn_convolution.default()
