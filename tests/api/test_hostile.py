"""Arguments of other kinds, out of range or of another dtype: what PyTorch refuses and how, and what it makes of them."""

import pytest

from compat.compare.texts import check_report

REFUSED = [
    "x.take(2)", "torch.take(x, 2)", "x.scatter_add(0, 2, x)",
    "torch.scatter_add(None, 0, i, x)", "torch.tensor_split(None, i)",
    "x.sum(True)", "torch.amin(x, True)", "x.sum([True])", "x.flip([True])", "x.reshape(True, 3)", "torch.randperm(True)",
    "x.sum(1 << 63)", "x.sum([1 << 63])", "x.transpose(-(1 << 63) - 1, 0)", "x.select(0, 1 << 63)",
    "F.max_pool2d(torch.ones(1, 1, 6, 6), 3, -1)", "F.avg_pool3d(torch.ones(1, 1, 6, 6, 6), 3, (-2, 3, 2))",
    "torch.device(-1)",
]
TAKEN = [
    "x.sum([0, True][:1])", "torch.zeros(2, True)", "x[None].permute((1, False))",
    "torch.slice_scatter(u, f)", "torch.select_scatter(u, f[0], 0, 1)",
    "torch.diagonal_scatter(u[None].expand(1, 3).clone(), f[:1])",
    "F.threshold(torch.tensor([-8, -9, 3]), -8.596, -0.52)", "torch.tensor(2.).index_fill(0, i[:0], 5.)",
    "F.binary_cross_entropy_with_logits(x.double(), x)", "F.binary_cross_entropy_with_logits(x, x.double())",
    "F.huber_loss(x, x.double() + 3)", "F.huber_loss(x.double(), x + 3)", "F.soft_margin_loss(x, x.double())",
    "F.soft_margin_loss(x.double(), x)",
]


NAMES = """
x, i = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0, 1, 2])
u, f = torch.zeros(3, dtype=torch.uint8), torch.tensor([-3.7, 300.5, -1.0])
"""


@pytest.mark.parametrize("text", [*REFUSED, *TAKEN])
def test_hostile_arguments(text):
    check_report(f"{NAMES}r.append({text})")
