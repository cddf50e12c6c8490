"""Programs with sparse tensors, run by torch and by torchlike; each ends with an expression, whose values are compared."""

import ast
import copy
import io
import pickle

import pytest
import torch

import torchlike

NOT_THERE = "Could not run"  # PyTorch's text goes on with its own backends


def names(lib) -> dict:
    """What the programs use: constructors, tensors, and an optimizer's run."""
    i, v, d = lib.tensor([[0, 1, 1], [2, 0, 2]]), lib.tensor([3.0, 4, 5]), lib.arange(6.0).view(2, 3)
    make = lib.sparse_coo_tensor
    found = {"torch": lib, "F": lib.nn.functional, "tensor": lib.tensor, "copy": copy, "io": io, "pickle": pickle,
             "T": make, "C": lib.sparse_csr_tensor, "B": lib.sparse_bsr_tensor, "i": i, "v": v, "d": d,
             "s": make(i, v, (2, 3)), "sc": make(i, v, (2, 3)).coalesce(),
             "sd": make([[0, 1, 1, 1], [2, 0, 2, 2]], [1.0, 2, 3, 4], (2, 3)), "e": make((2, 3)), "csr": d.to_sparse_csr(),
             "h": make(i, lib.arange(6.0).view(3, 2), (2, 3, 2)), "vg": v.clone().requires_grad_(),
             "sg": make(i, v, (2, 3)).coalesce().requires_grad_(), "dg": d.clone().requires_grad_()}

    def emb():
        w = lib.ones(5, 2, requires_grad=True)
        lib.nn.functional.embedding(lib.tensor([1, 2, 1]), w, sparse=True).pow(2).sum().backward()
        return w

    def run_opt(cls, **options):
        w = lib.linspace(-1, 1, 10).view(5, 2).requires_grad_()
        optimizer = cls([w], **options)
        for step in range(4):
            optimizer.zero_grad()
            lib.nn.functional.embedding(lib.tensor([1, 2, 1, step]), w, sparse=True).pow(2).sum().backward()
            optimizer.step()
        return w, {key: value for key, value in optimizer.state[w].items() if key != "momentum_buffer"}

    return {**found, "emb": emb, "run_opt": run_opt}


def shown(lib, value):
    """A result as text: also what ``repr`` does not tell of a sparse tensor."""
    if isinstance(value, tuple | list):
        return [shown(lib, each) for each in value]
    if not isinstance(value, lib.Tensor):
        return repr(value)
    return repr(value), value.is_sparse and value.is_coalesced(), value.grad_fn and value.grad_fn.name(), value.requires_grad


def answer(lib, program):
    """The text of the last expression, or of the error."""
    *statements, last = ast.parse(program).body
    space = names(lib)
    try:
        exec(compile(ast.Module(statements, []), "program", "exec"), space)
        return shown(lib, eval(compile(ast.Expression(last.value), "program", "eval"), space))
    except Exception as error:  # noqa: BLE001 - whatever a library raises is its answer
        text = str(error)
        return type(error).__name__, text.partition(". ")[0] if NOT_THERE in text else text.split("\n")[0]


def each_as_torch(programs):
    """A test that each program has the same answer under both."""
    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("program", programs)
    def test_program(program):
        assert answer(torchlike, program) == answer(torch, program)

    return test_program
