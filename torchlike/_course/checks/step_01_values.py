"""Checks of step 1: values."""

import numpy as np


def arithmetic(e):
    """Operators compute element by element."""
    x, y = e.tensor([1.0, 2.0, 4.0]), e.tensor([3.0, -5.0, 0.5])
    e.show("x + y", x + y)
    e.show("x - y", x - y)
    e.show("x * y", x * y)
    e.show("x / y", x / y)
    e.show("-x", -x)
    e.show("x ** 3", x ** 3)
    e.show("x ** 0.5", x ** 0.5)


def numbers(e):
    """Numbers of Python may stand on either side."""
    x = e.tensor([1.0, 2.0])
    e.show("x + 2 and 2 + x", [x + 2, 2 + x])
    e.show("x - 2 and 2 - x", [x - 2, 2 - x])
    e.show("x * 3 and 3 * x", [x * 3, 3 * x])
    e.show("x / 4 and 4 / x", [x / 4, 4 / x])


def shapes(e):
    """Tensors of any number of dimensions know their shape, a tuple."""
    for data in (1.5, [1.0], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]):
        x = e.tensor(data)
        e.show("len(x.shape)", len(x.shape))
        e.show("x.shape", tuple(x.shape))
        e.show("(x + x).shape", tuple((x + x).shape))
        e.show("x", x)


def double_precision(e):
    """Elements are float64, whatever they were made from."""
    x = e.tensor([1, 2])
    e.show("x / 4", x / 4)
    e.show("(x + 1e-12) - x", ((x + 1e-12) - x) * 1e12)


def copies(e):
    """A Tensor has memory of its own."""
    array = np.array([1.0, 2.0])
    x = e.tensor(array)
    array[0] = 9.0
    e.show("x", x)
    y = x + 0
    e.overwrite(x, 7.0)
    e.show("y", y)


def one_element(e):
    """item() gives the one element as a number, and refuses where there are several."""
    e.show("item of a number", e.tensor(2.5).item())
    e.show("item of one element", e.tensor([[3.0]]).item())
    e.attempt("item of two elements", e.tensor([1.0, 2.0]).item)


def attributes(e):
    """A new Tensor has no gradient, and requires one if that was asked for."""
    x, y = e.tensor(1.0), e.tensor(1.0, requires_grad=True)
    e.show("x.requires_grad, y.requires_grad", [x.requires_grad, y.requires_grad])
    e.show("x.grad, y.grad", [x.grad, y.grad])
