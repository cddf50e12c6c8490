"""torch.return_types: named tuples of results.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from typing import NamedTuple

from torchlike._api.arguments import shown
from torchlike._record.tensor import Tensor


class sort(NamedTuple):
    """What `torch.sort` returns."""

    values: Tensor
    indices: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class topk(NamedTuple):
    """What `torch.topk` returns."""

    values: Tensor
    indices: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class kthvalue(NamedTuple):
    """What `torch.kthvalue` returns."""

    values: Tensor
    indices: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class linalg_inv_ex(NamedTuple):
    """What `torch.linalg_inv_ex` returns."""

    inverse: Tensor
    info: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class linalg_cholesky_ex(NamedTuple):
    """What `torch.linalg_cholesky_ex` returns."""

    L: Tensor
    info: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class linalg_qr(NamedTuple):
    """What `torch.linalg_qr` returns."""

    Q: Tensor
    R: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class linalg_eig(NamedTuple):
    """What `torch.linalg_eig` returns."""

    eigenvalues: Tensor
    eigenvectors: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class geqrf(NamedTuple):
    """What `torch.geqrf` returns."""

    a: Tensor
    tau: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class linalg_ldl_factor_ex(NamedTuple):
    """What `torch.linalg_ldl_factor_ex` returns."""

    LD: Tensor
    pivots: Tensor
    info: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class linalg_lu_factor_ex(NamedTuple):
    """What `torch.linalg_lu_factor_ex` returns."""

    LU: Tensor
    pivots: Tensor
    info: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class linalg_lu(NamedTuple):
    """What `torch.linalg_lu` returns."""

    P: Tensor
    L: Tensor
    U: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class lu_unpack(NamedTuple):
    """What `torch.lu_unpack` returns."""

    P: Tensor
    L: Tensor
    U: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class linalg_polar(NamedTuple):
    """What `torch.linalg_polar` returns."""

    U: Tensor
    H: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class nll_loss_forward(NamedTuple):
    """What `torch.nll_loss_forward` returns."""

    output: Tensor
    total_weight: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class nll_loss2d_forward(NamedTuple):
    """What `torch.nll_loss2d_forward` returns."""

    output: Tensor
    total_weight: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class frexp(NamedTuple):
    """What `torch.frexp` returns."""

    mantissa: Tensor
    exponent: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class max(NamedTuple):
    """What `torch.max` returns."""

    values: Tensor
    indices: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class min(NamedTuple):
    """What `torch.min` returns."""

    values: Tensor
    indices: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class aminmax(NamedTuple):
    """What `torch.aminmax` returns."""

    min: Tensor
    max: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class cummax(NamedTuple):
    """What `torch.cummax` returns."""

    values: Tensor
    indices: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class cummin(NamedTuple):
    """What `torch.cummin` returns."""

    values: Tensor
    indices: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class median(NamedTuple):
    """What `torch.median` returns."""

    values: Tensor
    indices: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class nanmedian(NamedTuple):
    """What `torch.nanmedian` returns."""

    values: Tensor
    indices: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown


class mode(NamedTuple):
    """What `torch.mode` returns."""

    values: Tensor
    indices: Tensor

    __module__ = "torch.return_types"
    __repr__ = shown
