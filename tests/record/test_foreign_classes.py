"""Classes with __torch_function__ that are no subclasses of Tensor: found where they are imported. In processes of their
own, since tests in this one may have used such classes."""

import subprocess
import sys

import pytest

from tests.speed import sampled

MODULE = """
class Foreign:
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func.__name__, len(args)
"""
PROGRAM = """
import torchlike as torch
from {module} import Foreign
torch.ones(3) + {number}
print(torch.{call})
"""
CALLS = {"stack((Foreign(), Foreign()), 1)": "('stack', 2)", "zeros_like(Foreign())": "('zeros_like', 1)",
         "einsum('ij,jk', Foreign(), Foreign())": "('einsum', 3)", "hstack([Foreign(), torch.ones(2)])": "('hstack', 1)"}


@pytest.mark.parametrize("call", sampled(CALLS, fast=3))
def test_functions_of_several_operators(call, tmp_path):
    (tmp_path / "with_class.py").write_text(MODULE)
    text = PROGRAM.format(module="with_class", call=call, number=2)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False,
                          env={"PYTHONPATH": ":".join([str(tmp_path), *sys.path]), "JAX_PLATFORMS": "cpu"})
    assert done.stdout.strip() == CALLS[call], done.stderr
