"""`torch.return_types`: the classes of results, and how these print. Against PyTorch."""

import pytest
import torch

import torchlike

CALLS = (
    "max(x, 1)", "linalg.slogdet(x)", "linalg.lu_factor(x)", "linalg.ldl_factor(x @ x.T)", "linalg.eig(x)", "linalg.svd(x)",
    "histogram(x.flatten(), 3)", "linalg.lstsq(x, x)", "linalg.solve_ex(x, x)", "linalg.lu(x)", "slogdet(x)", "frexp(x)",
    "linalg.eigh(x)", "linalg.ldl_factor_ex(x @ x.T)", "topk(x, 2)")


@pytest.mark.parametrize("call", CALLS)
def test_class_and_text(call):
    found = {}
    for lib in (torch, torchlike):
        x = lib.tensor([[2.0, 1.0], [1.0, 3.0]])
        made = eval(f"lib.{call}", {"lib": lib, "x": x})
        assert type(made) is getattr(lib.return_types, type(made).__name__)
        found[lib] = type(made).__name__, [line.split("=")[0] for line in repr(made).split("\n") if "=" in line]
    assert found[torch] == found[torchlike]
