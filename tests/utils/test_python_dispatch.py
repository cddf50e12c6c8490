"""`torch.utils._python_dispatch`: what packages ask it."""

import importlib

import pytest
import torch

import torchlike
from tests.modes.dispatch_classes import classes_of

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


@pytest.mark.parametrize(("lib", "space"), BOTH, ids=["torch", "torchlike"])
def test_the_stack_of_modes(lib, space):
    class Mode(space.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    outer, inner = Mode(), Mode()
    with outer, inner:
        assert space._get_current_dispatch_mode_stack() == [outer, inner] and space.is_in_torch_dispatch_mode()
        with space._disable_current_modes() as modes:
            assert list(modes) == [inner, outer] and not space.any_torch_dispatch_mode_on_stack()
        with space._pop_mode_temporarily() as popped:
            assert popped is inner and space._get_current_dispatch_mode() is outer
        space._pop_mode()
        space._push_mode(inner)
    with outer, outer, space.BaseTorchDispatchMode():
        assert len(space._get_current_dispatch_mode_stack()) == 3
    assert space._get_current_dispatch_mode() is None


@pytest.mark.parametrize(("lib", "space"), BOTH, ids=["torch", "torchlike"])
def test_transform_subclass(lib, space):
    kind = classes_of(lib)["TwoTensor"]
    x = kind(lib.ones(2), lib.zeros(2))
    made = space.transform_subclass(x, lambda name, t: t + len(name))
    assert type(made) is kind and made.a.tolist() == [2, 2] and made.b.tolist() == [1, 1]
    with pytest.raises(AssertionError, match="to have shape equal to"):
        space.transform_subclass(x, lambda name, t: t[:1])
