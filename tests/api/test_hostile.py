"""Arguments of other kinds, out of range or of another dtype: what PyTorch refuses and how, and what it makes of them."""

import pytest

from compat.compare.texts import check_report

REFUSED = [
    "x.take(2)", "torch.take(x, 2)", "x.scatter_add(0, 2, x)",
    "torch.scatter_add(None, 0, i, x)", "torch.tensor_split(None, i)", "x.tensor_split(0)", "x.tensor_split(-1)",
    "x.sum(True)", "torch.amin(x, True)", "x.sum([True])", "x.flip([True])", "x.reshape(True, 3)", "torch.randperm(True)",
    "x.sum(1 << 63)", "x.sum([1 << 63])", "x.transpose(-(1 << 63) - 1, 0)", "x.select(0, 1 << 63)",
    "F.max_pool2d(torch.ones(1, 1, 6, 6), 3, -1)", "F.avg_pool3d(torch.ones(1, 1, 6, 6, 6), 3, (-2, 3, 2))",
    "torch.device(-1)",
    "F.nll_loss(torch.ones(1, 3, 2, 1), torch.zeros(1, 2, 1, dtype=torch.uint8))", "torch.inner(x.long(), x)",
    "F.dropout(None, 0.0)", "F.dropout(3)", "F.alpha_dropout(None, 0.0)", "F.feature_alpha_dropout(None, 0.5)",
    "torch.dropout(None, 0.5, True)", "torch.linspace(0, 1j, 2, dtype=torch.float64)",
    "torch.linspace(torch.tensor(1j), 1, 2, dtype=torch.int64)", "torch.logspace(1 + 0j, 1, 2, dtype=torch.float32)",
    "torch.renorm(x[None], 2, 0, -1.0)", "x[None].clone().renorm_(2, 0, -1)", "x.clone().uniform_(0, math.inf)",
    "x.half().uniform_(-70000, 1.0)",
    # nan is neither negative nor not
    "F.softshrink(x, math.nan)", "torch.renorm(x[None], math.nan, 0, 1.0)", "torch.renorm(x[None], 2, 0, math.nan)",
    "torch.isclose(x, x, rtol=math.nan)", "torch.allclose(x, x, atol=math.nan)", "torch.pdist(x[None], math.nan)",
    "torch.cdist(x[None], x[None], math.nan)", "F.huber_loss(x, x, delta=math.nan)",
    "F.smooth_l1_loss(x, x, beta=math.nan)", "torch.normal(0.0, math.nan, (2,))", "x.clone().normal_(0, math.nan)",
    "x.clone().exponential_(math.nan)", "x.clone().cauchy_(0, math.nan)", "x.clone().log_normal_(0, math.nan)",
    "x.clone().uniform_(math.nan, 1)", "F.dropout(x, math.nan)",
]
TAKEN = [
    "x.sum([0, True][:1])", "torch.zeros(2, True)", "x[None].permute((1, False))",
    "torch.slice_scatter(u, f)", "torch.select_scatter(u, f[0], 0, 1)",
    "torch.diagonal_scatter(u[None].expand(1, 3).clone(), f[:1])",
    "F.threshold(torch.tensor([-8, -9, 3]), -8.596, -0.52)", "torch.tensor(2.).index_fill(0, i[:0], 5.)",
    "F.binary_cross_entropy_with_logits(x.double(), x)", "F.binary_cross_entropy_with_logits(x, x.double())",
    "F.huber_loss(x, x.double() + 3)", "F.huber_loss(x.double(), x + 3)", "F.soft_margin_loss(x, x.double())",
    "F.soft_margin_loss(x.double(), x)",
    "F.nll_loss(x.expand(3, 3), i.byte())", "F.cross_entropy(x.expand(3, 3), i.byte())",
    "F.cross_entropy(x.expand(3, 3), i.byte(), ignore_index=1)", "F.cross_entropy(x, i[2].byte())",
    "F.cross_entropy(x.expand(3, 3), i.byte(), label_smoothing=0.1)", "F.cross_entropy(f.new_ones(1, 300), i[:1].byte())",
    "F.cross_entropy(x.expand(3, 3), i, label_smoothing=math.nan)",
    "torch.autograd.grad(F.cross_entropy(w, i.byte(), ignore_index=1), w)",
    "torch.inner(torch.tensor(2), x)", "torch.inner(x, torch.tensor(True))", "torch.cov(x[:0])", "torch.corrcoef(x[:0])",
    "torch.linspace(1.5, 1, 0, dtype=torch.bool)",
    "x.cumsum(0, dtype=torch.uint8)", "(-x).cumsum(0, dtype=torch.uint8)", "(-x).sum(0, dtype=torch.uint8)",
    "(-x).prod(0, dtype=torch.int8)",
]


NAMES = """
import math
w = torch.arange(9.0).reshape(3, 3).requires_grad_()
x, i = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0, 1, 2])
u, f = torch.zeros(3, dtype=torch.uint8), torch.tensor([-3.7, 300.5, -1.0])
"""


@pytest.mark.parametrize("text", [*REFUSED, *TAKEN])
def test_hostile_arguments(text):
    check_report(f"{NAMES}r.append({text})")
