"""Arguments of `torch.autograd.backward` and `grad`: inputs by name, the older name of `grad_tensors`."""

from collections import OrderedDict, UserDict

import pytest

from compat.compare import check
from compat.compare.tolerances import EXACT


def leaf(lib):
    return lib.ones(2, requires_grad=True)


def filled(lib, given, **options):
    x, y = leaf(lib), leaf(lib)
    lib.autograd.backward((x * y * 3).sum(), inputs=given(x, y), **options)
    return x.grad, y.grad


def asked(lib, given, **options):
    x, y = leaf(lib), leaf(lib)
    return lib.autograd.grad((x * 3).sum(), given(x, y), **options)


def older(lib, *arguments, **options):
    x = leaf(lib)
    lib.autograd.backward(x * 2, *arguments, **options)
    return x.grad


CASES = {
    "grad by names": lambda lib: asked(lib, lambda x, y: {"a": x}), "nothing": lambda lib: asked(lib, lambda x, y: {}),
    "unused": lambda lib: asked(lib, lambda x, y: {"a": x, "b": y}, allow_unused=True),
    "unused is an error": lambda lib: asked(lib, lambda x, y: {"a": x, "b": y}),
    "materialized": lambda lib: asked(lib, lambda x, y: {"a": x, "b": y}, materialize_grads=True),
    "batched": lambda lib: lib.autograd.grad(
        (x := leaf(lib)) * 2, {"a": x}, grad_outputs=lib.eye(2), is_grads_batched=True),
    "ordered": lambda lib: asked(lib, lambda x, y: OrderedDict(a=x)),
    "of users": lambda lib: asked(lib, lambda x, y: UserDict(a=x)),
    "backward by names": lambda lib: filled(lib, lambda x, y: {"a": x}), "backward for nothing": lambda lib: filled(
        lib, lambda x, y: {}), "backward ordered": lambda lib: filled(lib, lambda x, y: OrderedDict(a=x)),
    "backward of users": lambda lib: filled(lib, lambda x, y: UserDict(a=x)),
    "Tensor.backward": lambda lib: ((x := leaf(lib)) * 2).sum().backward(inputs={"a": x}) or x.grad,
    "older name": lambda lib: older(lib, grad_variables=lib.ones(2)),
    "older name by position": lambda lib: older(lib, None, None, False, lib.ones(2)),
    "both": lambda lib: older(lib, lib.ones(2), grad_variables=lib.ones(2)),
    "all by position": lambda lib: lib.autograd.backward((x := leaf(lib)).sum(), None, None, False, None, [x]) or x.grad,
}


@pytest.mark.parametrize("name", CASES)
def test_as_pytorch(name):
    check(CASES[name], tolerance=EXACT)
