"""numpy's BLAS has one thread while a program is compiled in the background, and its own number before and after."""

import subprocess
import sys

import pytest

from torchlike._compile import blas

PROGRAM = """
import torchlike as torch
from torchlike._compile import blas
from torchlike._compile.backends.xla_cpu import XlaCpu
from torchlike._compile.executors import hot

get, set_to = blas.threads()
set_to(3)
inside = []
real = XlaCpu.compile_program
def compile_program(self, *arguments):
    inside.append(get())
    return real(self, *arguments)
XlaCpu.compile_program = compile_program
with torch.configure(patience=0):
    for _ in range(4):
        (torch.ones(7) * 2).sum().item()
        hot.compiler.wait(60)
print(inside, get())
"""


def test_one_thread_inside():
    if blas.threads() is None:
        pytest.skip("another BLAS than the OpenBLAS of numpy's wheels")
    get, set_to = blas.threads()
    before = get()
    set_to(2)
    try:
        with blas.one_thread():
            assert get() == 1
            with blas.one_thread():
                assert get() == 1
            assert get() == 1
        assert get() == 2
    finally:
        set_to(before)


@pytest.mark.slow
def test_while_a_program_is_compiled():
    if blas.threads() is None:
        pytest.skip("another BLAS than the OpenBLAS of numpy's wheels")
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[1]", "3"]


def test_an_unknown_blas_is_left_alone(monkeypatch):
    monkeypatch.setattr(blas, "threads", lambda: None)
    with blas.one_thread():
        assert blas._users.count == 0
