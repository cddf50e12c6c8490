"""`torch.einsum` and `torch.tensordot`: sums of products written as permutes and one bmm a pair.

https://pytorch.org/docs/stable/generated/torch.einsum.html. Every operand is brought to the same order of
dimensions (output first, then what is summed; missing ones of size 1), then pairs are contracted. The
order of pairs is opt_einsum's, as in PyTorch (JAX needs that package too).
"""

from __future__ import annotations

import math
import string
from typing import Any

import opt_einsum

from torchlike._api.generated import ops
from torchlike._api.out import written
from torchlike._base.errors import type_name
from torchlike._modes.composite import composite
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked

_DOTS = "..."
_LETTERS = string.ascii_uppercase + string.ascii_lowercase


# --- reading the equation -----------------------------------------------------------------------

def _labels(text, start, which):
    """The labels of one operand's text; an ellipsis is `_DOTS`."""
    out, i = [], 0
    while i < len(text):
        char = text[i]
        if char == " ":
            i += 1
        elif char == ".":
            if _DOTS in out:
                raise RuntimeError(f"einsum(): found '.' for {which} for which an ellipsis was already found")
            if text[i:i + 3] != _DOTS:
                tail = " (...)" if which == "output" else ""
                raise RuntimeError(f"einsum(): found '.' for {which} that is not part of any ellipsis{tail}")
            out.append(_DOTS)
            i += 3
        elif char in _LETTERS:
            out.append(char)
            i += 1
        else:
            raise RuntimeError(f"einsum(): invalid subscript given at index {start + i} in the equation string, "
                               "subscripts must be in [a-zA-Z]")
    return out


def _parse(equation, count):
    """Each operand's labels and the output's (None where it is implicit)."""
    left, arrow, right = equation.partition("->")
    pieces, at, inputs = left.split(","), 0, []
    for number, piece in enumerate(pieces):
        if number >= count:
            raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
        inputs.append(_labels(piece, at, f"operand {number}"))
        at += len(piece) + 1
    if len(pieces) < count:
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    return inputs, _labels(right, at + 1, "output") if arrow else None


def _from_sublists(arguments):
    """Operands and equation of the form einsum(op, [0, 1], op, [1, 2], [0, 2])."""
    def text(sublist):
        for s in sublist:
            if s is not Ellipsis and not 0 <= s < 52:
                raise ValueError("einsum(): subscripts in subscript list are not within the valid range [0, 52)")
        return "".join(_DOTS if s is Ellipsis else _LETTERS[s] for s in sublist)

    equation = ",".join(text(s) for s in arguments[1::2])
    operands = arguments[::2]
    if len(arguments) % 2:
        equation += "->" + text(arguments[-1])
        operands = arguments[:-1:2]
    return equation, operands


# --- bringing the operands to one order ---------------------------------------------------------

def _sizes(inputs, operands):
    """How many dimensions the ellipsis stands for."""
    dots = 0
    for number, (labels, x) in enumerate(zip(inputs, operands, strict=True)):
        named = len(labels) - (_DOTS in labels)
        if (_DOTS not in labels and named != x.dim()) or named > x.dim():
            tail = "and no ellipsis was given" if _DOTS not in labels else "but fewer were given with the ellipsis"
            raise RuntimeError(f"einsum(): the number of subscripts in the equation ({named}) "
                               + ("does not match" if _DOTS not in labels else "is more than")
                               + f" the number of dimensions ({x.dim()}) for operand {number}"
                               + (f" {tail}" if _DOTS not in labels else ""))
        if _DOTS in labels:
            dots = max(dots, x.dim() - named)
    return dots


def _spread(labels, rank, dots):
    """Labels with the ellipsis written out as numbers counted from its end (the last is dots - 1)."""
    count = rank - (len(labels) - 1) if _DOTS in labels else 0
    out = []
    for label in labels:
        out.extend(range(dots - count, dots)) if label == _DOTS else out.append(label)
    return out


def _output_labels(output, inputs, dots):
    if output is None:
        letters = [label for labels in inputs for label in labels if label != _DOTS]
        return [*range(dots), *sorted(label for label in set(letters) if letters.count(label) == 1)]
    known = {label for labels in inputs for label in labels}
    seen = set()
    for label in output:
        if label != _DOTS and label in seen:
            raise RuntimeError(f"einsum(): output subscript {label} appears more than once in the output")
        if label != _DOTS and label not in known:
            raise RuntimeError(f"einsum(): output subscript {label} does not appear in the equation for any input operand")
        seen.add(label)
    out = []
    for label in output:
        out.extend(range(dots)) if label == _DOTS else out.append(label)
    return out


def _check_sizes(spread, operands):
    found: dict = {}
    for number, (labels, x) in enumerate(zip(spread, operands, strict=True)):
        own: dict = {}
        for label, size in zip(labels, x.shape, strict=True):
            if own.setdefault(label, size) != size:
                raise RuntimeError(f"einsum(): subscript {label} is repeated for operand {number} but the sizes don't "
                                   f"match, {size} != {own[label]}")
        for label, size in own.items():
            before = found.get(label, 1)
            if 1 not in (before, size) and before != size:
                if isinstance(label, int):
                    raise RuntimeError(f"einsum(): dimension {label} covered by ellipsis in operand {number}has size {size} "
                                       f"which does not broadcast with previously seen ellipsis with size {before} for "
                                       "the respective dimension")
                raise RuntimeError(f"einsum(): subscript {label} has size {size} for operand {number} which does not "
                                   f"broadcast with previously seen size {before}")
            found[label] = size if before == 1 else before
    return found


def _aligned(x, labels, order):
    """x with one dimension for each label of `order`, repeated labels as the diagonal."""
    labels = list(labels)
    i = 0
    while i < len(labels):
        first = labels.index(labels[i])
        if first < i:
            x = x.diagonal(0, first, i).movedim(-1, first)
            del labels[i]
        else:
            i += 1
    place = {label: d for d, label in enumerate(labels)}
    permutation = []
    for label in order:
        if label in place:
            permutation.append(place[label])
        else:
            permutation.append(x.dim())
            x = x.unsqueeze(x.dim())
    return x.permute(*permutation)


# --- contracting --------------------------------------------------------------------------------

def _sum_product(left, right, summed):
    """The product of two aligned tensors summed over `summed`, whose dimensions stay with size 1."""
    both, only_left, only_right = [], [], []
    size = 1
    for d in range(left.dim()):
        sl, sr = left.shape[d] != 1, right.shape[d] != 1
        if d in summed:
            if sl and sr:
                size *= left.shape[d]
            elif sl:
                left = left.sum(d, keepdim=True)
            elif sr:
                right = right.sum(d, keepdim=True)
        elif sl and sr:
            both.append(d)
        elif sl:
            only_left.append(d)
        else:
            only_right.append(d)
    summed = list(summed)
    shape = [left.shape[d] for d in both + only_left] + [1] * len(summed) + [right.shape[d] for d in only_right]
    order = [*both, *only_left, *summed, *only_right]
    counts = [math.prod(left.shape[d] for d in both), math.prod(left.shape[d] for d in only_left),
              math.prod(right.shape[d] for d in only_right)]
    rows = left.permute(*both, *only_left, *summed, *only_right).reshape(counts[0], counts[1], size)
    columns = right.permute(*both, *summed, *only_right, *only_left).reshape(counts[0], size, counts[2])
    back = [order.index(d) for d in range(left.dim())]
    return ops.bmm(rows, columns).view(*shape).permute(*back)


def _path(equation_labels, order, outputs, operands):
    """The pairs of positions to contract, in opt_einsum's order where there are more than two operands."""
    if len(operands) <= 2:
        return [(0, 1)] * (len(operands) - 1)
    names = {label: opt_einsum.get_symbol(i) for i, label in enumerate(order)}
    left = ",".join("".join(names[label] for label in labels) for labels in equation_labels)
    equation = f"{left}->{''.join(names[label] for label in outputs)}"
    path, _ = opt_einsum.contract_path(equation, *(tuple(x.shape) for x in operands), shapes=True, optimize="auto")
    return [tuple(sorted(step)) if len(step) == 2 else (0, 1) for step in path]


def _contract(operands, kept, path):
    total = operands[0].dim()
    uses = [sum(x.shape[d] != 1 for x in operands) for d in range(total)]
    for i, j in path:
        b, a = operands.pop(j), operands.pop(i)
        pair, alone = [], {0: [], 1: []}
        for d in range(kept, total):
            if a.shape[d] != 1 and b.shape[d] != 1:
                uses[d] -= 1
                if uses[d] == 1:
                    pair.append(d)
                    uses[d] = 0
            elif uses[d] == 1 and (a.shape[d] != 1 or b.shape[d] != 1):
                alone[0 if a.shape[d] != 1 else 1].append(d)
                uses[d] = 0
        a = a.sum(alone[0], keepdim=True) if alone[0] else a
        b = b.sum(alone[1], keepdim=True) if alone[1] else b
        operands.append(_sum_product(a, b, pair) if pair else a.mul(b))
    return operands[0]


@composite("einsum")
@checked
def einsum(*args: Any) -> Tensor:
    """Sums of products by Einstein's convention: ``einsum("ij,jk->ik", a, b)``, or with lists of ints.
    https://pytorch.org/docs/stable/generated/torch.einsum.html"""
    if len(args) < 2:
        raise ValueError("einsum(): must specify the equation string and at least one operand, or at least one operand "
                         "and its subscripts list")
    equation, *operands = _written_out(args)
    inputs, output = _parse(equation, len(operands))
    dots = _sizes(inputs, operands)
    outputs = _output_labels(output, inputs, dots if any(_DOTS in labels for labels in inputs) else 0)
    spread = [_spread(labels, x.dim(), dots) for labels, x in zip(inputs, operands, strict=True)]
    _check_sizes(spread, operands)
    order = [*outputs, *dict.fromkeys(label for labels in spread for label in labels if label not in outputs)]
    path = _path(spread, order, outputs, operands)
    aligned = [_aligned(x, labels, order) for x, labels in zip(operands, spread, strict=True)]
    several = len(aligned) > 1
    result = _contract(aligned, len(outputs), path)
    if len(order) > len(outputs):
        if several:
            return result.view(*result.shape[:len(outputs)]) if outputs else result.view(())
        return result.sum(list(range(len(outputs), len(order))))
    return result


def _written_out(args) -> tuple:
    """The equation, and the operands one by one."""
    equation, operands = (args[0], args[1:]) if isinstance(args[0], str) else _from_sublists(args)
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = operands[0]
    for i, x in enumerate(operands):
        if not isinstance(x, Tensor) and not hasattr(type(x), "__torch_function__"):
            _refuse(x, i, len(operands))
    return equation, *operands


def _refuse(x, i, count):
    """PyTorch gives three operands and more to the package opt_einsum, which asks for their shapes."""
    if count > 2 and not hasattr(x, "shape"):
        raise ValueError(f"Cannot determine the shape of {x}, can only determine the shape of array-like objects.")
    raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type_name(type(x))}")


einsum.handed_on = _written_out  # so classes with __torch_function__ see them


# --- tensordot ----------------------------------------------------------------------------------

def _contracted(a, b, dims):
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        return list(range(-dims, 0)), list(range(dims))
    left, right = dims
    return ([left], [right]) if isinstance(left, int) else (list(left), list(right))


@composite("tensordot")
def tensordot(a, b, dims=2) -> Tensor:
    """Contraction over the dimensions `dims`: a number, or a list for each operand.
    https://pytorch.org/docs/stable/generated/torch.tensordot.html"""
    left, right = _contracted(a, b, dims)
    if len(left) != len(right):
        raise RuntimeError("both dimension lists should have same length")
    if a.dtype is not b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    size = 1
    for i, j in zip(left, right, strict=True):
        sa, sb = a.size(i), b.size(j)
        if sb == 1:
            a = a.sum(i, keepdim=True, dtype=a.dtype)
        elif sa == 1:
            b = b.sum(j, keepdim=True, dtype=b.dtype)
        elif sa != sb:
            raise RuntimeError(f"contracted dimensions need to match, but first has size {sa} in dim {i} and second has "
                               f"size {sb} in dim {j}")
        else:
            size *= sa
    left, right = [d % a.dim() for d in left], [d % b.dim() for d in right]
    free_a = [d for d in range(a.dim()) if d not in left]
    free_b = [d for d in range(b.dim()) if d not in right]
    shape = [a.shape[d] for d in free_a] + [b.shape[d] for d in free_b]
    a, b = a.permute(*free_a, *left), b.permute(*right, *free_b)
    if math.prod(shape) == 1:  # PyTorch does not call mm then, which matters under autocast
        return ops.dot(a.reshape(size), b.reshape(size)).view(shape)
    rows, columns = math.prod(shape[:len(free_a)]), math.prod(shape[len(free_a):])
    return ops.mm(a.reshape(rows, size), b.reshape(size, columns)).view(shape)


def tensordot_function(a, b, dims=2, out: Tensor | None = None) -> Tensor:
    """Contraction over the dimensions `dims`: a number, or a list for each operand.
    https://pytorch.org/docs/stable/generated/torch.tensordot.html"""
    if out is not None:
        return written(out, "tensordot", (), tensordot, a, b, dims)
    return tensordot(a, b, dims)


FUNCTIONS: dict = {"einsum": einsum, "tensordot": tensordot_function}
