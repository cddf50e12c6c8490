"""`torch.ops` has the names of PyTorch's dispatcher, live."""

import pytest
import torch

import torchlike


@pytest.mark.parametrize("library", ["aten", "quantized", "onednn", "_c10d_functional"])  # others grow
def test_every_operator_and_overload_is_there(library):
    names = [full.partition("::")[2] for full in torch._C._dispatch_get_all_op_names() if full.startswith(f"{library}::")]
    assert len(names) > (3000 if library == "aten" else 15)
    space = getattr(torchlike.ops, library)
    places = [name.partition(".") for name in names]
    assert [name for name, _, overload in places if not hasattr(getattr(space, name), overload or "default")] == []


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
    with pytest.raises(torchlike.UnsupportedError, match=r"calling torch\.ops\.quantized\.add\.default"):  # no `torch.add`
        torchlike.ops.quantized.add(1, 2)
