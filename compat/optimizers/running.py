"""Optimizers under both libraries: the same parameters and gradients, and what becomes of them."""

import inspect

import numpy as np
import torch

import torchlike
from compat import compare

SHAPES = ((3, 4), (4, 3), (3, 4))
RANDOM = np.random.RandomState(0)
VALUES, OTHERS = RANDOM.randn(2, 3, 12)
GRADS, OTHER_GRADS = RANDOM.randn(2, 20, 3, 12)


def convert(value, lib):
    """A value of torch as one of the library; lists and dictionaries by their parts."""
    if isinstance(value, torch.Tensor | torchlike.Tensor):
        if isinstance(value, lib.Tensor):
            return value
        return lib.tensor(value.tolist(), dtype=getattr(lib, str(value.dtype).removeprefix("torch.")))
    if isinstance(value, dict):
        return {convert(k, lib): convert(v, lib) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(convert(v, lib) for v in value)
    return value


def tensor(lib, numbers, others, shape, dtype):
    numbers = numbers + 1j * others if dtype.startswith("complex") else numbers
    return lib.tensor(numbers.reshape(shape).tolist(), dtype=getattr(lib, dtype))


def parameters(lib, shapes, dtype):
    return [tensor(lib, a, b, shape, dtype) for a, b, shape in zip(VALUES, OTHERS, shapes, strict=True)]


def build(lib, info, options, dtype="float32", shapes=None):
    """(parameters, optimizer): a vector among them where the optimizer takes one, and two groups where it may."""
    if shapes is None:
        shapes = SHAPES if info.name == "Muon" else ((3, 4), (12,), (3, 4))
    params = parameters(lib, shapes, dtype)
    groups = [{"params": params[:2]}, {"params": params[2:], "lr": 0.03}] if info.supports_param_groups else params
    return params, getattr(lib.optim, info.name)(groups, **convert(options, lib))


def steps(lib, info, params, optimizer, dtype, numbers):
    """These steps, with given gradients; an optimizer that needs a closure minimizes a function instead."""
    for i in numbers:
        if info.step_requires_closure:
            descend(lib, params, optimizer)
            continue
        for j, p in enumerate(params):
            p.grad = tensor(lib, GRADS[i, j], OTHER_GRADS[i, j], tuple(p.shape), dtype)
        optimizer.step()


def descend(lib, params, optimizer):
    for p in params:
        p.requires_grad_()

    def closure():
        optimizer.zero_grad()
        a, b, c = (p.real + 2 * p.imag if p.is_complex() else p for p in params)
        loss = (a - 1).pow(2).sum() + (b - 2).exp().sum() + (b * b).sum() + (c - a).pow(2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)


def run(lib, info, options, dtype="float32", count=20, **how):
    """([parameters after all steps], state_dict), or a Raised; and the warnings."""
    def stepped(lib):
        params, optimizer = build(lib, info, options, dtype, **how)
        steps(lib, info, params, optimizer, dtype, range(count))
        return params, optimizer.state_dict()

    return compare.outcome(stepped, lib)


def takes(info, option) -> bool:
    return option in inspect.signature(info.optim_cls.__init__).parameters
