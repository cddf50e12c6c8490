"""Products of Householder reflectors: ``geqrf``, ``ormqr``, ``linalg.householder_product``.

https://pytorch.org/docs/stable/generated/torch.linalg.householder_product.html. Reflector i is 1 - tau_i v_i v_i^H, where
v_i is 0 above row i, 1 there and column i of the matrix below.
"""

import jax.numpy as jnp
from jax import lax

from torchlike._base.errors import sized_dim
from torchlike._ops.linalg.factorizations import adjoint as adjoint_of
from torchlike._ops.linalg.factorizations import check_lapack
from torchlike._ops.numerics import lapack
from torchlike._ops.rules import scalar_name
from torchlike._ops.table import op

_BLOCK = 32  # reflectors; LAPACK's own number


def _vectors(A, count):  # noqa: N803
    """The v_i as columns, (*, m, count)."""
    m = A.shape[-2]
    return jnp.tril(A[..., :, :count], -1) + jnp.eye(m, count, dtype=A.dtype)


def _apply(v, tau, C, adjoint):  # noqa: N803
    """H_1 ... H_k C, or its adjoint times C: _BLOCK reflectors at a time, as in LAPACK."""
    k = tau.shape[-1]
    if 0 in (*C.shape, k):
        return C
    size = min(k, _BLOCK)
    missing = -k % size  # filled up with identities
    v = jnp.pad(v, [(0, 0)] * (v.ndim - 1) + [(0, missing)])
    tau = jnp.pad(tau, [(0, 0)] * (tau.ndim - 1) + [(0, missing)])
    v = jnp.moveaxis(v.reshape(*v.shape[:-1], -1, size), -2, 0)
    factors = _factor(v, jnp.moveaxis(tau.reshape(*tau.shape[:-1], -1, size), -2, 0))
    if len(v) == 1:
        return _reflect(C, v[0], factors[0], adjoint)
    return lax.scan(lambda X, step: (_reflect(X, *step, adjoint), None), C, (v, factors), reverse=not adjoint)[0]  # noqa: N803


def _factor(v, tau):
    """The upper triangular T of H_1 ... H_k = 1 - V T V^H (Schreiber and Van Loan, 1989): (1 + D S)^-1 D, where D is
    diagonal with tau and S what is above the diagonal of V^H V."""
    above = jnp.triu(adjoint_of(v) @ v, 1)
    D = tau[..., :, None] * jnp.eye(tau.shape[-1], dtype=tau.dtype)  # noqa: N806
    return lapack.triangular_solve(D @ above, D, left_side=True, lower=False, unit_diagonal=True)


def _reflect(C, v, T, adjoint):  # noqa: N803
    return C - v @ ((adjoint_of(T) if adjoint else T) @ (adjoint_of(v) @ C))


@op("linalg_householder_product(Tensor input, Tensor tau) -> Tensor", method=False, aliases=("orgqr",),
    grads=dict.fromkeys(("input", "tau"), "input tau result"), autocast={"cpu": "fp32"},
    doc="The first columns of the product of Householder reflectors.", layout="columns")
def linalg_householder_product(A, tau):  # noqa: N803
    _check_product(A, tau)
    m, n = A.shape[-2:]
    start = jnp.broadcast_to(jnp.eye(m, n, dtype=A.dtype), A.shape)
    return _apply(_vectors(A, tau.shape[-1]), tau, start, False)


def _check_product(A, tau):  # noqa: N803
    name = "torch.linalg.householder_product"
    if A.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if A.shape[-2] < A.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    sized_dim(-1, tau.ndim)
    if A.shape[-1] < tau.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if A.ndim - tau.ndim != 1:
        raise RuntimeError(f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to "
                           f"{tau.ndim} and input.ndim is equal to {A.ndim}")
    if A.ndim > 2 and tau.shape[:-1] != A.shape[:-2]:
        raise RuntimeError(f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
                           f"{list(tau.shape[:-1])}")
    if tau.dtype != A.dtype:
        raise RuntimeError(f"{name}: tau dtype {scalar_name(tau)} does not match input dtype {scalar_name(A)}")
    check_lapack(A, "orgqr_cpu")


def _geqrf_gradient(g0, g1):
    raise NotImplementedError("the derivative for 'geqrf' is not implemented.")


@op("geqrf(Tensor self) -> (Tensor a, Tensor tau)", grads={"self": _geqrf_gradient}, autocast={"cpu": "fp32"},
    doc="The QR decomposition as reflectors and their factors, as LAPACK stores it.", layout="columns")
def geqrf(A):  # noqa: N803
    if A.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    check_lapack(A, "geqrf_cpu")
    if 0 in A.shape:
        return A, jnp.zeros((*A.shape[:-2], min(A.shape[-2:])), A.dtype)
    raw, tau = lapack.qr(A, mode="raw")
    return jnp.swapaxes(raw, -1, -2), tau


@op("ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor",
    grads=dict.fromkeys(("self", "input2", "input3"), "self input2 input3 result"),
    autocast={"cpu": "fp32"}, doc="A matrix times the orthogonal factor that `geqrf` gives.", layout="columns",
    gradient={"self": "preserve", "input3": "columns"})
def ormqr(A, tau, C, *, left, transpose):  # noqa: N803
    _check_ormqr(A, tau, C, left)
    v = _vectors(A, tau.shape[-1])
    if left:
        return _apply(v, tau, C, transpose)
    return adjoint_of(_apply(v, tau, adjoint_of(C), not transpose))


def _check_ormqr(A, tau, C, left):  # noqa: N803
    if A.ndim < 2:
        raise RuntimeError("torch.ormqr: input must have at least 2 dimensions.")
    if C.ndim < 2:
        raise RuntimeError("torch.ormqr: other must have at least 2 dimensions.")
    sized_dim(-1, tau.ndim)
    place = -2 if left else -1
    if tau.shape[-1] > min(C.shape[place], A.shape[-1]):
        raise RuntimeError(f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{place}], input.shape[-1])")
    if C.shape[place] != A.shape[-2]:
        raise RuntimeError(f"torch.ormqr: other.shape[{place}] must be equal to input.shape[-2]")
    if tau.shape[-1] != min(C.shape[place], A.shape[-1]):
        raise RuntimeError(f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{place}], input.shape[-1])")
    if A.ndim - tau.ndim != 1:
        raise RuntimeError("torch.ormqr: Expected tau to have one dimension less than input, but got tau.ndim equal to "
                           f"{tau.ndim} and input.ndim is equal to {A.ndim}")
    if A.ndim != C.ndim:
        raise RuntimeError("torch.ormqr: Expected other to have the same number of dimensions as input, but got other.ndim "
                           f"equal to {C.ndim} and input.ndim is equal to {A.ndim}")
    if A.ndim > 2 and tau.shape[:-1] != A.shape[:-2]:
        raise RuntimeError("torch.ormqr: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
                           f"{list(tau.shape[:-1])}")
    if A.ndim > 2 and C.shape[:-2] != A.shape[:-2]:
        raise RuntimeError("torch.ormqr: Expected batch dimensions of other to be equal to input.shape[:-2], but got "
                           f"{list(C.shape[:-2])}")
    for name, x in (("tau", tau), ("other", C)):
        if x.dtype != A.dtype:
            raise RuntimeError("torch.ormqr: Expected input and " + name + " to have the same dtype, but input has dtype"
                               f"{scalar_name(A)} and {name} has dtype {scalar_name(x)}")
    check_lapack(A, "ormqr_cpu")
