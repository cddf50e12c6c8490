"""What PyTorch's `torch.nn.modules.utils` offers: sizes by dimension and the order of padding widths."""

from torchlike.nn._sizes import _ntuple as _ntuple
from torchlike.nn._sizes import _pair as _pair
from torchlike.nn._sizes import _quadruple as _quadruple
from torchlike.nn._sizes import _single as _single
from torchlike.nn._sizes import _triple as _triple


def _reverse_repeat_tuple(t, n):
    """`(a, b)` as `(b, b, a, a)` for n = 2: the order in which `F.pad` wants widths."""
    return tuple(x for x in reversed(t) for _ in range(n))
