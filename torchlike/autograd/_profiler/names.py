"""What a profile says of a kernel: PyTorch's name, the shapes of its operands, how much it computes and allocates."""

import jax
from jax.extend.core import jaxpr_as_fun

from torchlike._compile import gradients
from torchlike._compile.jax_private import own_work
from torchlike._ops import dispatcher_names
from torchlike._record.site import place
from torchlike.autograd.node import class_of


def name_of(kernel) -> str:
    """``aten::mm``, ``MulBackward0``, and ``torchlike::adam_step`` for what PyTorch has no operator for."""
    made = gradients.made_of(kernel)
    if made is not None:
        return class_of(made[0].kernel).__name__
    if kernel.row is None:
        return f"torchlike::{kernel.name}"
    return packet_of_row(kernel.row)


def packet_of_row(row) -> str:
    """The operator that a row is."""
    full = dispatcher_names.name_of(row, (True,) * len(row.operands), (None,), False)
    return f"{'torchlike' if row.ours else 'aten'}::{full.partition('.')[0]}"


def shapes_of(kernel) -> list:
    """As PyTorch: a list for each argument of the operator, empty for what is no tensor; of a gradient, what it reads."""
    if kernel.row is None:
        return [list(a.shape) for a in kernel.ins]
    arrays, kinds = iter(kernel.ins), dict(zip(kernel.row.operands, kernel.spec[0], strict=False))
    found = []
    for arg in kernel.row.schema.args:
        kind = kinds.get(arg.name)
        if kind == "a":
            found.append(list(next(arrays).shape))
            continue
        found.append([])
        if isinstance(kind, tuple):
            for _ in range(sum(kind)):
                next(arrays)
    return found


def dtypes_of(kernel) -> list:
    """The dtypes of the arrays that a kernel reads."""
    return [repr(a.dtype).removeprefix("torch.") for a in kernel.ins]


def flops_of(kernel) -> int:
    """What XLA counts in the kernel."""
    return round(sum(_flops(piece) for piece in kernel.pieces))


def _flops(piece) -> float:
    with own_work():
        lowered = jax.jit(jaxpr_as_fun(piece.jaxpr)).lower(*piece.arguments())
    return (lowered.cost_analysis() or {}).get("flops", 0.0)


def bytes_of(kernel) -> int:
    """The size of a kernel's results."""
    return sum(a.nbytes for a in kernel.outs)


def line_of(site) -> str:
    """``file.py(12): function``; empty where the line is not known."""
    if site is None:
        return ""
    path, line, function = place(site)
    return f"{path}({line}): {function}"
