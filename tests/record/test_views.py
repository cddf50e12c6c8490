"""Every view operator with every in-place operator, and programs of views and writes, against torch."""

import math

import pytest

from compat.compare import texts
from tests.programs import same_as_torch
from tests.record import view_programs
from tests.speed import every, sampled
from torchlike._ops.all import ROWS

test_programs = same_as_torch("view_errors", "views")

# (shape of y, view of it). Nearly all views are 4x4, so that the operators are compiled for few shapes.
VIEWS = {
    "view": ((2, 8), "y.view(4, 4)"), "view_copies": ((16,), "y.reshape(4, 4)"), "alias": ((4, 4), "y[...]"),
    "view_dtype": ((4, 4), "y.view(torch.int64)"), "unflatten": ((16,), "y.unflatten(0, (4, 4))"),
    "flatten": ((2, 2, 4), "y.flatten(0, 1)"), "unsqueeze": ((4, 4), "y.unsqueeze(1).squeeze(1)"),
    "squeeze": ((4, 1, 4), "y.squeeze(1)"), "permute": ((4, 4), "y.permute(1, 0)"), "t": ((4, 4), "y.t()"),
    "transpose": ((4, 4), "y.transpose(0, 1)"), "expand": ((4, 4), "y.expand(4, 4)"),
    "slice": ((6, 4), "y[1:5]"), "slice_step": ((8, 4), "y[::2]"), "slice_column": ((4, 6), "y[:, 1:5]"),
    "narrow": ((5, 4), "y.narrow(0, 1, 4)"), "select": ((2, 4, 4), "y[1]"), "select_column": ((4, 3, 4), "y[:, 2]"),
    "row": ((4, 4), "y[2]"), "diagonal": ((4, 4, 4), "y.diagonal(0, 1, 2)"),
    "diagonal_off": ((3, 5, 5), "y[0].diagonal(1)"), "unfold": ((17,), "y.unfold(0, 4, 4)"),
    "_reshape_alias": ((4, 8), "y[:, 4:].reshape(2, 2, 4).flatten(0, 1)"),
    "split": ((8, 4), "y.split(4)[1]"), "split_with_sizes": ((6, 4), "y.split([4, 2])[0]"),
    "chunk": ((4, 8), "y.chunk(2, 1)[1]"), "unbind": ((4, 2, 4), "y.unbind(1)[1]"),
    "tensor_split": ((8, 4), "y.tensor_split(2)[1]"), "as_strided": ((30,), "y.as_strided((4, 4), (6, 1), 3)"),
    "detach": ((4, 4), "y.detach()"), "data": ((4, 4), "y.data"), "chain": ((3, 4, 6), "y[1].t()[1:5]"),
    "chain_of_three": ((8, 8), "y.view(4, 4, 4).diagonal(0, 0, 2).t()"),
    "view_of_split": ((8, 4), "y.split(4)[0].t()"), "split_of_view": ((4, 8), "y.t().split(4)[1]"),
}
PLAIN_VIEWS = ["view_dtype", "t", "slice_column", "row", "diagonal", "unfold", "split", "unbind", "as_strided",
               "data", "chain_of_three"]
# `w` has the shape of the view v, `k` is a mask of it, `n` are positions in its first dimension.
WRITES = {
    "copy": "v.copy_(w)", "fill": "v.fill_(2.5)", "fill_tensor": "v.fill_(w.sum())", "zero": "v.zero_()",
    "add_alpha": "v.add_(w, alpha=2)", "mul_self": "v.mul_(v)", "mul_number": "v.mul_(3.)", "iadd": "v += w",
    "imul": "v *= 2.", "addcmul": "v.addcmul_(w, w, value=0.5)", "addcdiv": "v.addcdiv_(w, w + 1.)",
    "clamp": "v.clamp_(0.3, 0.6)", "clamp_min": "v.clamp_min_(0.4)", "clamp_max": "v.clamp_max_(0.5)",
    "lerp": "v.lerp_(w, 0.25)", "pow": "v.pow_(2)", "_pow_static": "v.pow_(w)", "masked_fill": "v.masked_fill_(k, 2.)",
    "threshold": "F.threshold(v, 0.5, 0.25, inplace=True)", "elu": "F.elu(v, inplace=True)",
    "celu": "F.celu(v, inplace=True)", "hardswish": "F.hardswish(v, inplace=True)",
    "hardsigmoid": "F.hardsigmoid(v, inplace=True)", "hardtanh": "F.hardtanh(v, 0.1, 0.5, inplace=True)",
    "leaky_relu": "F.leaky_relu(v, 0.2, inplace=True)", "mish": "F.mish(v, inplace=True)",
    "silu": "F.silu(v, inplace=True)", "mvlgamma": "v.add_(1.).mvlgamma_(1)", "nan_to_num": "v.nan_to_num_(0.)",
    "cumsum": "v.cumsum_(0)", "cumprod": "v.cumprod_(0)", "tril": "v.tril_()", "triu": "v.triu_(1)",
    "addmm": "v.addmm_(w, w.t())", "addmv": "v.addmv_(w, w)", "addr": "v.addr_(w, w)",
    "baddbmm": "v.baddbmm_(w, w)", "addbmm": "v.addbmm_(w, w)",
    "index_add": "v.index_add_(0, n, w[:2])", "index_copy": "v.index_copy_(0, n, w[:2])",
    "index_fill": "v.index_fill_(0, n, 4.)", "index_reduce": "v.index_reduce_(0, n, w[:2], 'prod')", "index_put": "v.index_put_((n,), w[0])",  # noqa: E501
    "masked_scatter": "v.masked_scatter_(k, w)", "put": "v.put_(n, w.reshape(-1)[:2])",
    "scatter": "v.scatter_(0, m, w)", "scatter_add": "v.scatter_add_(0, m, w)",
    "scatter_reduce": "v.scatter_reduce_(0, m, w, 'sum')", "setitem": "v[0] = 7.", "setitem_tensor": "v[0] = w[0]",
    "setitem_all": "v[...] = w", "setitem_mask": "v[k] = 9.", "round": "v.round_()", "erfinv": "v.erfinv_()",
    "div_mode": "v.div_(w, rounding_mode='floor')", "logit": "v.logit_()", "logit_eps": "v.logit_(0.3)",
    "relu": "F.relu(v, inplace=True)", "renorm": "v.renorm_(2, 0, 0.5)",
    "ldexp": "v.ldexp_(w)", "detach": "v.detach_()", "requires_grad": "v.requires_grad_()",
    "broadcast": "v.add_(w.sum())", "too_large": "v.add_(torch.ones(3, 5, 4, 4, 4))",
}
NO_METHOD = {"rrelu_with_noise"}
# Where a wrong shape is refused PyTorch's texts differ from ours for these; with right shapes they agree.
MATRIX = ["addr", "addbmm", "baddbmm", "addmm"]
WHOLE_REFUSALS = ["clamp", "clamp_min", "clamp_max", "ldexp", "nextafter", "gcd", "lcm", "bitwise_and", "bitwise_or",
                  "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"]
PLAIN = [row.face for row in ROWS.values() if row.inplace and row.view is None and len(row.operands) == 1]
BINARY = [row.face for row in ROWS.values() if row.inplace and row.view is None and len(row.operands) == 2]
for _name in PLAIN:
    if _name not in NO_METHOD:
        WRITES.setdefault(_name, f"v.{_name}_()")
for _name in set(BINARY) - NO_METHOD:
    WRITES.setdefault(_name, f"v.{_name}_(w)")

START = """
x = torch.tensor(X, dtype=torch.float64).reshape(SHAPE).requires_grad_(GRAD)
q = torch.tensor([0.9, 0.4, 0.7, 0.3, 0.6, 0.8, 0.2, 0.5, 0.35, 0.65, 0.75, 0.45, 0.15, 0.25, 0.85, 0.95],
                 dtype=torch.float64, requires_grad=GRAD)
y = x * 1.
v = VIEW
w = q[:v.numel()].reshape(v.shape)
k = (w > 0.5).detach()
n = torch.tensor([1, 0])
m = torch.zeros(v.shape, dtype=torch.int64)
r += [v._is_view(), v._base is y, v.stride(), v.storage_offset(), v.is_contiguous(), v._version, v.requires_grad]
WRITE
r += [y, v, y._version, v._version, v._is_view(), v._base is y, v.stride(), v.storage_offset(), w._version]
"""
AFTER = """
r += [y.grad_fn.name(), v.grad_fn.name() if v.requires_grad else None, v.is_leaf, y.is_leaf]
out = (y * y).sum()
if v.requires_grad and v.is_floating_point():
    out = out + (v * v * 3.).sum()
r.append(torch.autograd.grad(out, [x, q], allow_unused=True))
"""


def program_of(view, write, grad):
    shape, expression = VIEWS[view]
    values = [0.05 + 0.9 * (i * 37 % 101) / 101 for i in range(math.prod(shape))]
    start = START.replace("SHAPE", str(shape)).replace("GRAD", str(grad)).replace("VIEW", expression)
    return start.replace("WRITE", WRITES[write]).replace("X,", f"{values},") + (AFTER if grad else "")


def check_all(view, grad, part=slice(None)):
    skipped = MATRIX if view in ("row", "diagonal_off") else WHOLE_REFUSALS if view == "view_dtype" else ()
    found = [texts.differs(program_of(view, write, grad)) for write in [*WRITES][part] if write not in skipped]
    found = [text for text in found if text]
    assert not found, f"{len(found)} differ:\n" + "\n".join(found[:5])


_OF_ONE_DTYPE = [v for v in VIEWS if v != "view_dtype"]


PARTS = 8  # of the writes


# One part with each view is in CI, of them one in twelve fast.
@pytest.mark.parametrize(("view", "part"), sampled(
    _OF_ONE_DTYPE, range(PARTS),
    fast=lambda i, part: part == i % PARTS and i % 12 == 3, ci=lambda i, part: part == i % PARTS))
def test_every_write_to_every_view(view, part):
    check_all(view, True, slice(part, None, PARTS))


@pytest.mark.parametrize("view", sampled(PLAIN_VIEWS, ci=every(3, 1)))
def test_every_write_without_history(view):
    check_all(view, False)


def test_every_row_is_in_the_tables():
    in_place = {row.face for row in ROWS.values() if row.inplace and row.view is None}
    assert in_place - NO_METHOD <= set(WRITES)
    names = {"view": "view", "alias": "alias", "transpose.int": "transpose", "slice.Tensor": "slice",
             "select.int": "select", "split.Tensor": "split", "unbind.int": "unbind", "view.dtype": "view_dtype"}
    elsewhere = {"view_as_real", "view_as_complex", "real", "imag", "_conj", "_detach"}  # write_programs.COMPLEX, tests/func
    assert {names.get(row.name, row.name) for row in ROWS.values() if row.view is not None} <= set(VIEWS) | elsewhere


def numbered(programs):
    return [pytest.param(p, id=f"{i}") for i, p in enumerate(programs)]


@pytest.mark.parametrize("program", numbered(view_programs.ALL))
def test_program(program):
    texts.check_report(program)
