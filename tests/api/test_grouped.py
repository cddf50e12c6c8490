"""Products of matrices by groups against PyTorch: values, gradients, errors."""

import numpy as np
import pytest
import torch

import torchlike
from torchlike import nn

LIBRARIES = (torch, torchlike)
SHAPES = {  # each dimension a multiple of 16 bytes, also in float16
    "rows": ((16, 8), (3, 8, 24), True), "columns": ((3, 16, 8), (8, 16), True), "inner": ((8, 16), (16, 24), True),
    "batches": ((3, 16, 8), (3, 8, 24), False), "transposed": ((16, 8), (3, 24, 8), True),
}
ENDS = ([2, 9, 16], [0, 16, 16], [5, 6, 16])


def operands(lib, case, dtype, ends):
    a, b, is_ragged = SHAPES[case]
    rng = np.random.default_rng(1)
    a, b = (lib.tensor(rng.standard_normal(shape)).to(getattr(lib, dtype)).requires_grad_() for shape in (a, b))
    return a, b, lib.tensor(ends, dtype=lib.int32) if is_ragged else None


def trained(lib, case, dtype, ends) -> list:
    a, b, offs = operands(lib, case, dtype, ends)
    y = lib.nn.functional.grouped_mm(a, b.mT if case == "transposed" else b, offs=offs)
    g = lib.tensor(np.random.default_rng(2).standard_normal(tuple(y.shape))).to(y.dtype)
    first = lib.autograd.grad(y, (a, b), g, create_graph=True)
    (first[0].float().sin().sum() + first[1].float().sin().sum()).backward()
    return [type(y.grad_fn).__name__, *(x.detach().double().numpy() for x in (y, *first)),
            *(0 if x.grad is None else x.grad.double().numpy() for x in (a, b))]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("case", SHAPES)
@pytest.mark.parametrize("ends", ENDS, ids=str)
def test_values_and_gradients(case, dtype, ends):
    wanted, found = (trained(lib, case, dtype, ends) for lib in LIBRARIES)
    assert found[0] == wanted[0]
    bound = {"float32": 1e-5, "bfloat16": 0.1, "float16": 0.02}[dtype]
    for one, other in zip(found[1:], wanted[1:], strict=True):
        np.testing.assert_allclose(one, other, bound, bound)


def test_what_is_behind_the_last_group_is_zero():
    x = torchlike.ones(8, 4, requires_grad=True)
    y = torchlike._grouped_mm(x, torchlike.ones(2, 4, 4), torchlike.tensor([1, 5], dtype=torchlike.int32))
    y.sum().backward()
    assert y[:, 0].tolist() == x.grad[:, 0].tolist() == [4.0] * 5 + [0.0] * 3


def test_per_sample():
    x, w = torchlike.randn(5, 8, 4), torchlike.randn(2, 4, 4)
    offs = torchlike.tensor([3, 8], dtype=torchlike.int32)
    found = torchlike.vmap(lambda row: torchlike._grouped_mm(row, w, offs))(x)
    for row, each in zip(x, found, strict=True):
        assert torchlike.allclose(each, torchlike._grouped_mm(row, w, offs), atol=1e-6)
    tangent = torchlike.func.jvp(lambda row: torchlike._grouped_mm(row, w, offs), (x[0],), (x[1],))[1]
    assert torchlike.allclose(tangent, torchlike._grouped_mm(x[1], w, offs), atol=1e-6)


CALLS = (
    "G(r(8, 3), r(3, 3, 5), offs=o)", "G(r(8, 3), r(3, 3, 8), offs=o.long())", "G(r(8, 16), r(3, 16, 8))",
    "G(r(3, 8, 16), r(3, 16, 8), offs=o)", "G(r(8, 16), r(3, 16, 8), offs=o.long())", "G(r(8, 16).double(), r(3, 16, 8), o)",
    "G(r(8, 16), r(3, 16, 8).long(), o)", "G(r(8, 16), r(3, 16, 8), offs=o, bias=r(8))",
    "F(r(8, 16), r(3, 16, 8), bias=r(8))",
    "G(r(8, 16), r(3, 16, 8), offs=o, out_dtype=t.bfloat16)", "G(r(8, 16), r(4, 16, 8), offs=o)",
    "G(r(8, 16), r(3, 16, 8), offs=o[None])", "G(r(8, 12), r(3, 16, 8), offs=o)", "G(r(3, 8, 12), r(3, 16, 8))",
    "G(r(2, 8, 16), r(3, 16, 8))", "G(r(8), r(3, 16, 8), offs=o)", "G(r(8, 12), r(8), offs=o)", "G(r(8, 8), r(8, 16))",
    "G(r(3, 8, 16), r(16, 8), offs=o[:2])", "G(r(8, 16).bfloat16(), r(3, 16, 8), offs=o)", "F(r(8, 16), r(3, 16, 8), o)",
    "G(r(8, 16).half(), r(3, 16, 8).bfloat16(), offs=o)", "G(r(8, 32)[:, ::2], r(3, 16, 8), offs=o)",
    "G(r(0, 16), r(3, 16, 8), offs=t.zeros(3, dtype=t.int32)).shape", "G(r(8, 16), r(0, 16, 8), offs=o[:0]).shape",
    "G(r(1, 16), r(3, 16, 8), offs=t.ones(3, dtype=t.int32)).shape",
    "F(r(8, 16), 3, offs=o)", "F([1], r(3, 16, 8), offs=o)", "G(r(8, 0), r(3, 0, 8), o)",
)


def outcome(lib, call):
    known = {"t": lib, "G": lib._grouped_mm, "F": lib.nn.functional.grouped_mm, "r": lib.randn,
             "o": lib.tensor([2, 5, 8], dtype=lib.int32)}
    try:
        return repr(eval(call, known))
    except Exception as error:  # noqa: BLE001 - whatever it is, both raise it
        return type(error).__name__, str(error)


@pytest.mark.parametrize("call", CALLS)
def test_errors(call):
    assert outcome(torchlike, call) == outcome(torch, call)


def test_classes_take_it_over():
    told = []
    for lib in LIBRARIES:
        class Taker(lib.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return func.__name__, func.__module__.removesuffix("like"), len(args), dict(kwargs or {})

        told.append(lib.nn.functional.grouped_mm(lib.ones(3, 4, 4).as_subclass(Taker), lib.ones(3, 4, 4)))
    assert told[1] == told[0]


def test_a_wrong_group_is_seen(monkeypatch):
    """One product for all rows instead of one for each group."""
    monkeypatch.setattr(nn.functional, "grouped_mm", lambda a, b, offs: a @ b[0])
    wanted, found = (trained(lib, "rows", "float32", ENDS[0])[1] for lib in LIBRARIES)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(found, wanted)
