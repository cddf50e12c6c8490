"""`torch.autograd.Variable`, against PyTorch's."""

import pytest
import torch

import torchlike

CALLS = ("Variable()", "Variable(None)", "Variable(x)", "Variable(x, True)", "Variable(data=x, requires_grad=True)",
         "Variable(y).grad_fn", "Variable(y).requires_grad", "Variable(torch.tensor([1]))", "isinstance(x, Variable)",
         "isinstance(3, Variable)", "issubclass(Variable, torch.Tensor)", "Variable(x).add_(1).sum() + x.sum()",
         "Variable(torch.nn.Parameter(x)).__class__.__name__", "Variable([1.])",
         "torch.autograd.variable(3)", "Variable(torch.tensor([1]), True)")


def said(library, text: str) -> str:
    x = library.ones(2)
    names = {"torch": library, "Variable": library.autograd.Variable, "x": x, "y": library.ones(2, requires_grad=True) * 2}
    try:
        return repr(eval(text, names))
    except (TypeError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("text", CALLS)
def test_call(text):
    assert said(torchlike, text) == said(torch, text)
