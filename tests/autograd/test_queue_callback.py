"""Functions that are called at the end of a backward pass, as PyTorch's engine does."""

import pytest
import torch

import torchlike


def order(library, nested):
    """What happens in which order."""
    engine, seen = library.autograd.Variable._execution_engine, []
    x = library.ones(2, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda p: seen.append("leaf"))

    def first():
        seen.append("first")
        engine.queue_callback(lambda: seen.append("added"))

    def hook(grad):
        seen.append("hook")
        engine.queue_callback(first)
        if nested:
            with library.enable_grad():
                y = library.ones(1, requires_grad=True)
                z = y * 2
                z.register_hook(lambda g: engine.queue_callback(lambda: seen.append("inner")))
                z.sum().backward()
        engine.queue_callback(lambda: seen.append("second"))

    y = x * 3
    y.register_hook(hook)
    y.sum().backward()
    seen.append("after")
    (x * 3).sum().backward()
    return seen


@pytest.mark.parametrize("nested", [False, True])
def test_order(nested):
    assert order(torchlike, nested) == order(torch, nested)


@pytest.mark.parametrize("library", [torch, torchlike])
def test_outside(library):
    with pytest.raises(RuntimeError, match="Final callbacks can only be installed during backward pass"):
        library.autograd.Variable._execution_engine.queue_callback(list)
