"""Gradients as operators: names, values, and what has no operator of PyTorch's."""

import pytest
import torch

import torchlike
from tests.modes.dispatch_classes import classes_of
from torchlike._modes.dispatch_kernels import KernelOverload
from torchlike.utils._python_dispatch import TorchDispatchMode

CLASSES = {lib: classes_of(lib) for lib in (torch, torchlike)}
SHAPES = {"mm": ((2, 3), (3, 2)), "bmm": ((2, 2, 3), (2, 3, 2)), "mv": ((2, 3), (3,)), "dot": ((3,), (3,)),
          "addmm": ((2, 2), (2, 3), (3, 2)), "baddbmm": ((1, 2, 2), (1, 2, 3), (1, 3, 2)), "addcmul": ((2,), (2,), (2,)),
          "lerp": ((2,), (2,))}
UNARY = [
    "neg", "abs", "cos", "sin", "cosh", "sinh", "tan", "asinh", "atan", "exp", "exp2", "expm1", "log", "log2", "log10",
    "log1p", "sqrt", "rsqrt", "reciprocal", "erf", "erfc", "lgamma", "relu", "sigmoid", "tanh", "cumprod", "square",
    "sinc", "t", "tril", "flip", "logsumexp", "var", "mean", "sum", "cumsum", "softmax", "unsqueeze"]
ARGUMENTS = {"cumprod": (0,), "flip": ((0,),), "logsumexp": (0,), "cumsum": (0,), "softmax": (0,), "unsqueeze": (0,),
             "lerp": (0.3,)}


def gradients(lib, name):
    kind = CLASSES[lib]["TwoTensor"]
    shapes = SHAPES.get(name, ((2, 2),))
    plain = [torch.linspace(0.2, 0.9, torch.Size(shape).numel()).view(shape) for shape in shapes]
    parts = [[lib.tensor(x.tolist()), lib.tensor((x * 0.5).tolist())] for x in plain]
    wrappers = [kind(*pair).requires_grad_() for pair in parts]
    getattr(lib, name)(*wrappers, *ARGUMENTS.get(name, ())).sum().backward()
    return [x.tolist() for w in wrappers for x in (w.grad.a, w.grad.b)]


@pytest.mark.parametrize("name", [*SHAPES, *UNARY])
def test_gradients_of_wrappers(name):
    expected, found = gradients(torch, name), gradients(torchlike, name)
    for a, b in zip(expected, found, strict=True):
        torch.testing.assert_close(torch.tensor(b), torch.tensor(a), rtol=1e-4, atol=1e-5)


def test_an_operator_of_its_own():
    seen = []

    class Log(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append((str(func), func.name(), repr(func)))
            return func(*args, **(kwargs or {}))

    x = torchlike.tensor([0.1, 0.2], requires_grad=True)
    y = x.cumprod(0)
    with Log():
        y.backward(torchlike.ones_like(y).detach())
    assert ("aten.cumprod_backward.default", "aten::cumprod_backward",
            "<OpOverload(op='aten.cumprod_backward', overload='default')>") in seen
    assert x.grad.tolist() == pytest.approx([1.2, 0.1])


def test_other_shapes_are_refused():
    x = torchlike.ones(2, requires_grad=True)
    overload = KernelOverload(x.cumprod(0).grad_fn.plan.route((0,)).kernel)
    with pytest.raises(torchlike.UnsupportedError, match="of tensors of other shapes"):
        overload(*[torchlike.ones(3)] * len(overload._kernel.ins))
