"""Importing this module fills the operator table: each family registers its rows."""

# ruff: noqa: F401 - imported for their rows
from torchlike._ops import core, creation, index_bounds, random_sampling, spectral
from torchlike._ops.indexing import (
    by_tensors,
    frames,
    joining,
    scatter,
    scatter_views,
    searching,
    sorting,
    triangles,
    view_copies,
    views,
)
from torchlike._ops.linalg import eig, factorizations, grouped, householder, ldl, lu, products, pseudo_inverse, square_roots
from torchlike._ops.nn import (
    activation,
    attention,
    convolution,
    ctc,
    dropout,
    embedding,
    embedding_bag,
    fold,
    fractional_pooling,
    grid_sample,
    linear_loss,
    loss,
    normalization,
    padding,
    pooling,
    recurrent,
    shuffles,
    upsample,
)
from torchlike._ops.pointwise import arithmetic, binary, bits, comparison, unary
from torchlike._ops.reduction import aggregates, cumulative, medians, moments
from torchlike._ops.special import bessel, functions, polynomials
from torchlike._ops.table import ROWS as ROWS
