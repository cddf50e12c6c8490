"""Inside of `subgradients("jax")` gradients at kinks, ties and nan are JAX's, as compat/conventions finds them."""

import dataclasses
import threading

import numpy as np
import pytest
import torch

import torchlike
from compat.conventions import differing, points, run, table
from compat.conventions.run import Raised
from tests.speed import sampled
from torchlike._ops import jax_gradients
from torchlike._record.dispatch import Handler, installed

# The calls of the table that record the rows with rules.
CALLS = (
    "torch.abs(x)",
    "torch.angle(x)",
    "torch.rsqrt(x)",
    "F.relu(x)",
    "F.leaky_relu(x, negative)",
    "F.celu(x, alpha)",
    "torch.clamp(x, low, high)",
    "torch.clamp_min(x, 0.5)",
    "torch.clamp_max(x, 0.5)",
    "torch.maximum(x, y)",
    "torch.minimum(x, y)",
    "torch.fmax(x, y)",
    "torch.fmin(x, y)",
    "torch.atan2(x, y)",
    "torch.hypot(x, y)",
    "torch.copysign(x, y)",
    "torch.xlogy(x, y)",
    "torch.special.xlog1py(x, y)",
    "torch.pow(x, y)",
    "torch.max(x)",
    "torch.min(x)",
    "torch.max(x, dim, keepdim).values",
    "torch.min(x, dim, keepdim).values",
    "torch.cummax(x, dim).values",
    "torch.cummin(x, dim).values",
    "torch.std(x, dim)",
    "torch.var(x, dim)",
    "torch.norm(x)",
    "torch.norm(x, p, dim)",
    "torch.linalg.vector_norm(v)",
)
ROWS = {row.call: row for row in table.rows()}
KINDS = (
    "zeros",
    "nan",
    "bounds and kinks",
    "equal operands",
    "whole and half numbers",
    "ties",
    "all equal",
    "one zero",
    "two zeros",
    "infinity",
    "all nan",
)


# Where PyTorch's vectorised loop and the scalar one differ: which of them takes an element depends on the processor.
LOOPS_DIFFER = {"F.celu(x, alpha)": {"nan"}}


def gradients(call, point, row) -> list:
    """What torchlike gives for ones."""
    tensors = {name: torchlike.tensor(x, requires_grad=True) for name, x in point.inputs.items()}
    names = {"torch": torchlike, "F": torchlike.nn.functional, "inf": float("inf"), **row.given, **tensors}
    out = run.leaves(eval(call, names))
    found = torchlike.autograd.grad(out, list(tensors.values()), [torchlike.ones_like(x) for x in out])
    return [np.asarray(x.tolist(), np.float32) for x in found]


def chosen(row) -> list:
    """The points of float32 of these kinds."""
    return [
        point
        for point in points.of(row)
        if set(point.kinds) & set(KINDS) and all(x.dtype == np.float32 for x in point.inputs.values())
    ]


def at(point, kinds):
    """Where the point is of these kinds; everywhere if that is not told element by element."""
    return [i for i, kind in enumerate(point.kinds) if kind in kinds] if point.by_element else slice(None)


@pytest.mark.parametrize("call", sampled(CALLS, fast=6, ci=3))
def test_gradients_are_those_of_jax(call):
    row = dataclasses.replace(ROWS[call], levels=2)
    differ = False
    for point in chosen(row):
        want, theirs = run.by_jax(row.jax, point.inputs, row)[1], run.by_torch(row.call, point.inputs, row)[1]
        if isinstance(want, Raised) or isinstance(theirs, Raised):
            continue
        with torchlike.subgradients("jax"):
            got = gradients(row.call, point, row)
        places = at(point, set(KINDS))
        assert not any(differing.differs(a[places], b[places], 1).any() for a, b in zip(want, got, strict=True)), (
            point.labels
        )
        with torchlike.subgradients("torch"):
            plain = gradients(row.call, point, row)
        decided = at(point, set(KINDS) - LOOPS_DIFFER.get(call, set()))
        assert not any(differing.differs(a[decided], b[decided], 1).any() for a, b in zip(theirs, plain, strict=True)), (
            point.labels
        )
        differ |= any(differing.differs(a[places], b[places], 1).any() for a, b in zip(got, plain, strict=True))
    assert differ  # else no rule is needed


class _Names(Handler):
    """Which rows are recorded."""

    def __init__(self):
        self.seen = set()

    def handle(self, operation):
        self.seen.add(operation.row)
        return NotImplemented


def test_every_rule_has_a_call_that_records_it():
    names = _Names()
    with installed(names):
        for call in CALLS:
            tensors = {name: torchlike.tensor(x) for name, x in points.ordinary(ROWS[call]).items()}
            eval(call, {"torch": torchlike, "F": torchlike.nn.functional, **ROWS[call].given, **tensors})
    assert set(jax_gradients.rows()) <= names.seen


def test_values_second_gradients_and_nodes_stay():
    x = torchlike.tensor([1.0, 3.0, 3.0], requires_grad=True)
    with torchlike.subgradients("jax"):
        y = x.max(0)
    assert y.values.grad_fn.name() == "MaxBackward0"
    assert y.indices.item() == 1
    (g,) = torchlike.autograd.grad(y.values.square(), x, create_graph=True)  # outside of the block: what was recorded counts
    assert g.tolist() == [0.0, 3.0, 3.0]
    assert torchlike.autograd.grad(g.sum(), x)[0].tolist() == [0.0, 1.0, 1.0]


def test_writes_in_place():
    x = torchlike.zeros(2, requires_grad=True)
    with torchlike.subgradients("jax"):
        x.clone().abs_().sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_blocks_nest_and_end():
    x = torchlike.zeros((), requires_grad=True)

    def slope():
        return torchlike.autograd.grad(x.abs(), x)[0].item()

    with torchlike.subgradients("jax"):
        assert slope() == 1
        with torchlike.subgradients("torch"):
            assert slope() == 0
        with torchlike.subgradients("jax"):
            assert slope() == 1
        assert slope() == 1
    assert slope() == 0
    with pytest.raises(KeyError), torchlike.subgradients("jax"):
        raise KeyError
    assert slope() == 0


def test_other_threads_have_their_own():
    found = []

    def other():
        x = torchlike.zeros((), requires_grad=True)
        found.append(torchlike.autograd.grad(x.abs(), x)[0].item())

    with torchlike.subgradients("jax"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert found == [0]


def test_autocast_and_vmap_inside():
    x = torchlike.zeros(3, requires_grad=True)
    with torchlike.subgradients("jax"), torchlike.autocast("cpu"):
        x.abs().sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 1.0]
    with torchlike.subgradients("jax"):
        assert torchlike.vmap(torchlike.func.grad(lambda a: a.abs()))(torchlike.zeros(2)).tolist() == [1.0, 1.0]


def test_unknown_convention():
    with (
        pytest.raises(ValueError, match=r"convention must be 'jax' or 'torch', not 'numpy'"),
        torchlike.subgradients("numpy"),
    ):
        pass


def test_nothing_is_installed_outside():
    torch.abs(torch.zeros(1))
    assert torchlike._record.trace.state.open is torchlike._record.trace.state.trace
