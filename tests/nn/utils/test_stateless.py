"""`torch.nn.utils.stateless` and `swap_tensor`, against PyTorch."""

import importlib

import pytest
import torch

import torchlike


@pytest.mark.parametrize("lib", [torch, torchlike])
def test_block_and_call(lib):
    stateless = importlib.import_module(f"{lib.__name__}.nn.utils.stateless")
    layer, x = lib.nn.Linear(2, 2, bias=False), lib.ones(1, 2)
    old, new = layer.weight, {"weight": lib.eye(2)}
    with stateless._reparametrize_module(layer, new):
        assert layer(x).tolist() == [[1, 1]]
    assert layer.weight is old
    with pytest.warns(FutureWarning, match="torch.func.functional_call"):
        assert stateless.functional_call(layer, new, x).tolist() == [[1, 1]]


PROGRAMS = ("swap(m, 'weight', new) is old, m.weight is new", "swap(m, 'none', new)", "swap(m, 'a.b', new)",
            "swap(m, '', new)", "swap(m, 'weight', 3)", "swap(3, 'weight', new)",
            "swap(m, 'none', new, True), m.none is new",
            "swap(m, 'in_features', new)", "swap(m, 'bias', None) is None, m.bias")


@pytest.mark.parametrize("program", PROGRAMS)
def test_swap(program):
    found = []
    for lib in (torch, torchlike):
        accessor = importlib.import_module(f"{lib.__name__}.nn.utils._named_member_accessor")
        layer = lib.nn.Linear(2, 2, bias=False)
        names = {"m": layer, "old": layer.weight, "new": lib.eye(2), "swap": accessor.swap_tensor}
        try:
            found.append([x if isinstance(x, bool | None) else type(x) for x in eval(f"[{program}]", names)])
        except (TypeError, KeyError, AttributeError) as error:
            found.append((type(error), str(error).replace("torchlike", "torch")))
    assert str(found[0]) == str(found[1])
