"""Matrix products of tensors of any rank, and linear maps: matmul, linear, bilinear.

The steps are PyTorch's own on a CPU, so that the graph (its Node names and what they save) is the same.
https://pytorch.org/docs/stable/nn.functional.html#linear-functions
"""

from __future__ import annotations

import math

from torchlike._api.complex_numbers import refuse_complex
from torchlike._api.generated import ops
from torchlike._api.out import written
from torchlike._modes.composite import composite
from torchlike._ops.geometry import broadcast
from torchlike._record.tensor import Tensor


def _should_fold(a, b) -> bool:
    """Whether a batched product is one matrix product of the stacked rows, as ATen decides it."""
    larger = a.dim() >= b.dim()
    t1, t2 = (a, b) if larger else (b, a)
    if t1.dim() < 3 or t2.dim() > 2:
        return False
    if t2.requires_grad:
        return True
    if a.dim() == 2:
        return False
    t1 = t1 if larger else t1.mT
    if t1.numel() == 0:
        return True
    shape, stride = t1.shape, t1.stride()
    return all(stride[i] == stride[i + 1] * shape[i + 1] for i in range(t1.dim() - 2))


def _fold(a, b):
    swap = b.dim() > a.dim()
    t1 = b.mT if swap else a
    t2 = a if swap and a.dim() == 1 else a.t() if swap else b
    shape = list(t1.shape[:-1])
    rows = t1.reshape(math.prod(shape), t1.shape[-1])
    if t2.dim() == 1:
        return ops._unsafe_view(ops.mv(rows, t2), tuple(shape))
    out = ops._unsafe_view(ops.mm(rows, t2), (*shape, t2.shape[1]))
    return out.mT.contiguous() if swap else out


def _batched(a, b):
    if a.dim() == b.dim() == 3 and a.shape[0] != b.shape[0]:
        if a.shape[0] == 1 and a.requires_grad:
            return matmul(a.squeeze(0), b)
        if b.shape[0] == 1 and b.requires_grad:
            return matmul(a, b.squeeze(0))
    n, m = (a.shape[-2] if a.dim() > 1 else 1), a.shape[-1]
    batch = broadcast(a.shape[:-2], b.shape[:-2])
    count = math.prod(batch)
    left = a.expand(*batch, n, m).reshape(count, n, m)
    shape = batch + ((n,) if a.dim() > 1 else ())
    if b.dim() == 1:
        right = b.expand(*batch, b.shape[0]).reshape(count, b.shape[0]).unsqueeze(2)
        return ops._unsafe_view(ops.bmm(left, right).squeeze(-1), shape)
    k, p = b.shape[-2:]
    right = b.expand(*batch, k, p).reshape(count, k, p)
    return ops._unsafe_view(ops.bmm(left, right), (*shape, p))


@composite("matmul")
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Matrix product of tensors of any rank, batches broadcasting.
    https://pytorch.org/docs/stable/generated/torch.matmul.html"""
    da, db = input.dim(), other.dim()
    if da == 2 and db == 2:
        return ops.mm(input, other)
    if da == 0 or db == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {da}D and {db}D")
    if da == 1 and db == 1:
        return ops.dot(input, other)
    if da == 2 and db == 1:
        return ops.mv(input, other)
    if da == 1 and db == 2:
        return ops.mm(input.unsqueeze(0), other).squeeze_(0)
    return _fold(input, other) if _should_fold(input, other) else _batched(input, other)


def matmul_function(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`matmul`, into `out` if there is one."""
    if out is not None:
        return written(out, "matmul", (), matmul, input, other)
    return matmul(input, other)


_product = matmul.__wrapped__  # inside of other operators


@composite("linear")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x W^T + b: (*, in) and (out, in) give (*, out).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.linear.html"""
    rank = input.dim()
    if rank == 0 or weight.dim() == 0:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {rank}D and "
                           f"{weight.dim()}D")
    if bias is None:
        return _product(input, weight.t())
    if rank == 2:
        return ops.addmm(bias, input, weight.t())
    if input.is_contiguous() and (bias.dim() == 1 or sum(s != 1 for s in bias.shape) == 1):
        rows = input.reshape(math.prod(input.shape[:-1]), input.shape[-1])
        out = ops.addmm(bias, rows, weight.t())
        return out.view(*input.shape[:-1], out.shape[1])
    return _product(input, weight.t()).add_(bias)


def linear_out(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """`linear`, into `out` if there is one."""
    if out is not None:
        return written(out, "linear", (), linear, input, weight, bias)
    return linear(input, weight, bias)


@composite("bilinear")
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x1^T W x2 + b. https://pytorch.org/docs/stable/generated/torch.nn.functional.bilinear.html"""
    if input1.dim() != input2.dim():
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {input1.dim()} and {input2.dim()}")
    for i, (p, q) in enumerate(zip(input1.shape[:-1], input2.shape[:-1], strict=True)):
        if p != q:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {i}: got {p} and {q}")
    for number, x, dim in ((1, input1, 1), (2, input2, 2)):
        if x.shape[-1] != weight.shape[dim]:
            raise RuntimeError(f"bilinear(): input{number} size does not match weight size: got {x.shape[-1]} but "
                               f"expected {weight.shape[dim]}")
    if bias is not None and bias.shape[0] != weight.shape[0]:
        raise RuntimeError(f"bilinear(): bias size does not match weight size: got {bias.shape[0]} but expected "
                           f"{weight.shape[0]}")
    given = {"input1": input1, "input2": input2, "weight": weight} | ({} if bias is None else {"bias": bias})
    if len({x.dtype for x in given.values()}) > 1:
        raise RuntimeError("All tensors must have the same dtype, got "
                           + ", ".join(f"{name}: {x._cell.aval.dtype.cpp_name}" for name, x in given.items()))
    refuse_complex("_trilinear", input1, input2, weight)
    lead = tuple(input1.shape[:-1])
    rows = [x.reshape(math.prod(lead), x.shape[-1]) for x in (input1, input2)]
    out = ops._trilinear(rows[0], weight, rows[1], (1, 3), (0,), (1, 2), (2, 3)).reshape(*lead, weight.shape[0])
    return out if bias is None else out + bias


FUNCTIONS: dict = {"matmul": matmul_function, "bilinear": bilinear}
METHODS: dict = {"matmul": matmul}
NN: dict = {"linear": linear, "linear_out": linear_out}
