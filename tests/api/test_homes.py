"""Functions and classes go by the names of their homes in PyTorch, and pickles find them, with and without `install`."""

import functools
import importlib
import pickle
import types

import pytest

import torchlike
from torchlike._api import homes
from torchlike._api.generated.homes import HOMES

# Methods of C++ in PyTorch, classmethods here: another object each time.
BOUND = {"Tensor.__torch_function__", "NestedTensor.__torch_function__"}


def named() -> list:
    """(home, name, object) of every home, also of modules that ``import torchlike`` leaves out."""
    found = []
    for home, names in HOMES.items():
        module = importlib.import_module(f"torchlike{home}")
        for path in names.split():
            value = functools.reduce(getattr, path.split("."), module)
            if isinstance(value, type | types.FunctionType) and path not in BOUND:
                found.append((home, path, value))
    assert len(found) > 2300
    return found


def check(root):
    for home, path, value in named():
        assert (value.__module__, value.__qualname__) == (root + home, path)
        assert pickle.loads(pickle.dumps(value)) is value


def test_homes_and_pickles_without_install():
    check("torchlike")


def test_homes_and_pickles_while_installed():
    before = pickle.dumps(torchlike.nn.ReLU())
    with torchlike.install(force=True):
        check("torch")
        assert type(pickle.loads(before)) is torchlike.nn.ReLU
        assert b"torchlike" not in pickle.dumps(torchlike.nn.ReLU())
    check("torchlike")


@pytest.mark.parametrize(("source", "told"), [
    ("repr(torch.nn.Linear)", "<class 'torch.nn.modules.linear.Linear'>"),
    ("repr(torch.Tensor)", "<class 'torch.Tensor'>"),
    ("torch.nn.Linear.forward.__module__", "torch.nn.modules.linear"),
    ("torch.nn.Module.register_forward_hook.__qualname__", "Module.register_forward_hook"),
    ("torch.add.__module__", "torch"),
    ("torch.special.erf.__module__ + '.' + torch.special.erf.__name__", "torch._C._special.special_erf"),
    ("torch.Tensor.backward.__module__", "torch._tensor"),
    ("torch.Tensor.bool.__name__ + torch.Tensor.moveaxis.__name__ + torch.matmul.__name__", "boolmoveaxismatmul"),
    ("torch.float32.__module__", "torch"),
    ("torch.max(torch.ones(2, 2), 0).__class__.__module__", "torch.return_types"),
    ("torch.nn.attention.flex_attention.BlockMask.__module__", "torch.nn.attention.flex_attention"),
])
def test_what_users_see(source, told):
    with torchlike.install(force=True):
        names: dict = {}
        exec("import torch, torch.nn.attention.flex_attention", names)
        assert eval(source, names) == told


def test_what_is_not_public_keeps_its_name():
    with torchlike.install(force=True):
        assert homes.name_all.__module__ == "torchlike._api.homes"


def test_a_planted_name_is_put_right(monkeypatch):
    monkeypatch.setattr(torchlike.nn.Linear, "__module__", "elsewhere")
    homes.name_in(".nn.modules.linear")
    assert torchlike.nn.Linear.__module__ == "torchlike.nn.modules.linear"
    homes.name_in(".nn.no_such_module")
