"""Optimizers under both libraries: the same parameters and gradients, what becomes of them, and its comparison."""

import inspect
import warnings

import numpy as np
import torch

import torchlike

SHAPES = ((3, 4), (4, 3), (3, 4))
# (relative, absolute): sums and roots of two libraries differ in the last digits, and steps add up.
# PyTorch's `add` of halves rounds the factor `alpha` in the body of an array, in the tail the product as well.
TOLERANCE = {"float64": (1e-9, 1e-11), "float32": (3e-5, 2e-6), "complex64": (3e-5, 2e-6), "complex128": (1e-9, 1e-11),
             "bfloat16": (2e-2, 3e-2), "float16": (3e-3, 2e-3)}
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


def numbers(value):
    """What is compared: tensors as (dtype, array)."""
    if isinstance(value, torch.Tensor | torchlike.Tensor):
        return str(value.dtype), np.array(value.detach().tolist())
    if isinstance(value, dict):
        return {k: numbers(v) for k, v in value.items()}
    return [numbers(v) for v in value] if isinstance(value, list | tuple) else value


def run(lib, info, options, dtype="float32", count=20, **how):
    """([parameters after all steps], state_dict), or an error's type and text; and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            params, optimizer = build(lib, info, options, dtype, **how)
            steps(lib, info, params, optimizer, dtype, range(count))
            found = numbers(params), numbers(optimizer.state_dict())
        except Exception as error:  # noqa: BLE001 - whatever torch raises
            found = type(error), str(error)
    return found, [(w.category, str(w.message)) for w in caught]


def difference(a, b, tolerance, where=""):
    """Where two results part, or None."""
    if isinstance(b, tuple) and len(b) == 2 and isinstance(b[1], np.ndarray):
        if not isinstance(a, tuple):
            return f"{where}: {a} instead of a tensor"
        if a[0] != b[0] or a[1].shape != b[1].shape:
            return f"{where}: {a[0]} {a[1].shape} instead of {b[0]} {b[1].shape}"
        relative, absolute = tolerance  # of sums that cancel, what is left is as exact as the largest element
        scale = max(1.0, float(np.abs(b[1]).max(initial=0)))
        close = np.allclose(a[1], b[1], relative, absolute * scale, equal_nan=True)
        return None if close else f"{where}: off by {np.abs(a[1] - b[1]).max()}"
    if type(a) is not type(b):
        return f"{where}: {a!r} instead of {b!r}"
    if isinstance(b, dict):
        if a.keys() != b.keys():
            return f"{where}: {sorted(map(str, a))} instead of {sorted(map(str, b))}"
        pairs = [(a[key], b[key], key) for key in b]
    elif isinstance(b, list | tuple):
        if len(a) != len(b):
            return f"{where}: {len(a)} parts instead of {len(b)}"
        pairs = [(x, y, i) for i, (x, y) in enumerate(zip(a, b, strict=True))]
    elif isinstance(b, float):
        return None if np.isclose(a, b, *tolerance) else f"{where}: {a!r} instead of {b!r}"
    else:
        return None if a == b else f"{where}: {a!r} instead of {b!r}"
    return next((d for x, y, key in pairs if (d := difference(x, y, tolerance, f"{where}.{key}"))), None)


def takes(info, option) -> bool:
    return option in inspect.signature(info.optim_cls.__init__).parameters
