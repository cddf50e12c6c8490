"""`torch.utils._python_dispatch`: what packages ask it."""

import importlib

import pytest
import torch

import torchlike

BOTH = [(lib, importlib.import_module(f"{lib.__name__}.utils._python_dispatch")) for lib in (torch, torchlike)]


@pytest.mark.parametrize(("lib", "space"), BOTH, ids=["torch", "torchlike"])
def test_answers(lib, space):
    class Made(lib.Tensor):
        def __tensor_flatten__(self):
            return [], None

        @staticmethod
        def __tensor_unflatten__(inner, meta, size, stride):
            return None

    class Plain(lib.Tensor):
        pass

    asked = (3, lib.ones(1), lib.ones(1).as_subclass(Plain), lib.ones(1).as_subclass(Made), lib.nn.Parameter(lib.ones(1)))
    assert [space.is_traceable_wrapper_subclass(x) for x in asked] == [False, False, False, True, False]
    assert space._get_current_dispatch_mode() is None and space._get_current_dispatch_mode_stack() == []
    assert space.is_in_torch_dispatch_mode() is space.any_torch_dispatch_mode_on_stack() is False
    with space._disable_current_modes() as modes:
        assert list(modes) == []


def test_modes_refuse():
    mode = BOTH[1][1].TorchDispatchMode()
    with pytest.raises(torchlike.UnsupportedError, match="TorchDispatchMode is not supported"), mode:
        pass
