"""What PyTorch has removed and still names: calls say what replaces it. And `resize` and `resize_as`, which it has
deprecated and kept.
"""

from __future__ import annotations

import math
import warnings

from torchlike._record.tensor import Tensor
from torchlike.autograd.function import Function

_REMOVED = "This function was deprecated since version 1.9 and is now removed."
MATRIX_RANK = _REMOVED + (
    "\n"
    "Please use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed in "
    "`torch.linalg.matrix_rank()` to 'hermitian'."
)
SOLVE = _REMOVED + (
    " `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments "
    "reversed and does not return the LU factorization.\n"
    "\n"
    "To get the LU factorization see `torch.lu`, which can be used with `torch.lu_solve` or `torch.lu_unpack`.\n"
    "X = torch.solve(B, A).solution should be replaced with:\n"
    "X = torch.linalg.solve(A, B)"
)
LSTSQ = _REMOVED + (
    " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n"
    "`torch.linalg.lstsq` has reversed arguments and does not return the QR decomposition in the returned "
    "tuple (although it returns other information about the problem).\n"
    "\n"
    "To get the QR decomposition consider using `torch.linalg.qr`.\n"
    "\n"
    "The returned solution in `torch.lstsq` stored the residuals of the solution in the last m - n columns of "
    "the returned value whenever m > n. In torch.linalg.lstsq, the residuals are in the field 'residuals' of "
    "the returned named tuple.\n"
    "\n"
    "The unpacking of the solution, as in\n"
    "X, _ = torch.lstsq(B, A).solution[:A.size(1)]\n"
    "should be replaced with:\n"
    "X = torch.linalg.lstsq(A, B).solution"
)
SYMEIG = _REMOVED + (
    " The default behavior has changed from using the upper triangular portion of the matrix by default to "
    "using the lower triangular portion.\n"
    "\n"
    "L, _ = torch.symeig(A, upper=upper) should be replaced with:\n"
    "L = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')\n"
    "\n"
    "and\n"
    "\n"
    "L, V = torch.symeig(A, eigenvectors=True) should be replaced with:\n"
    "L, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')"
)
EIG = _REMOVED + (
    " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors "
    "mimicking complex tensors.\n"
    "\n"
    "L, _ = torch.eig(A) should be replaced with:\n"
    "L_complex = torch.linalg.eigvals(A)\n"
    "\n"
    "and\n"
    "\n"
    "L, V = torch.eig(A, eigenvectors=True) should be replaced with:\n"
    "L_complex, V_complex = torch.linalg.eig(A)"
)
_REINFORCE = """reinforce() was removed.
Use torch.distributions instead.
See https://pytorch.org/docs/main/distributions.html

Instead of:

probs = policy_network(state)
action = probs.multinomial()
next_state, reward = env.step(action)
action.reinforce(reward)
action.backward()

Use:

probs = policy_network(state)
# NOTE: categorical is equivalent to what used to be called multinomial
m = torch.distributions.Categorical(probs)
action = m.sample()
next_state, reward = env.step(action)
loss = -m.log_prob(action) * reward
loss.backward()
"""


def solve(self: Tensor, other):
    """`torch.linalg.solve` has replaced it. RuntimeError"""
    raise RuntimeError(SOLVE)


def lstsq(self: Tensor, other):
    """`torch.linalg.lstsq` has replaced it. RuntimeError"""
    raise RuntimeError(LSTSQ)


def eig(self: Tensor, eigenvectors=False):
    """`torch.linalg.eig` has replaced it. RuntimeError"""
    raise RuntimeError(EIG)


def symeig(self: Tensor, eigenvectors=False):
    """`torch.linalg.eigh` has replaced it. RuntimeError"""
    raise RuntimeError(SYMEIG)


def reinforce(self: Tensor, reward):
    """`torch.distributions` has replaced it. RuntimeError"""
    raise RuntimeError(_REINFORCE)


class Resize(Function):
    """A tensor in another shape of as many elements: a view where its memory allows."""

    @staticmethod
    def forward(ctx, tensor, sizes):
        ctx.before = tensor.shape
        if not all(type(size) is int for size in sizes) or math.prod(sizes) != tensor.numel():
            numel = math.prod(sizes) if all(type(size) is int for size in sizes) else sizes[0]
            wanted, found = ("x".join(map(str, shape)) for shape in (sizes, tensor.shape))
            raise RuntimeError(
                f"requested resize to {wanted} ({numel} elements in total), but the given tensor has a size of {found} "
                f"({tensor.numel()} elements). autograd's resize can only change the shape of a given tensor, while "
                "preserving the number of elements. ")
        return tensor.contiguous().view(*sizes)

    @staticmethod
    def backward(ctx, *grads):
        return grads[0].contiguous().view(ctx.before), None


def resize(self: Tensor, *sizes) -> Tensor:
    """Deprecated, and warns: `reshape` is the same. The sizes stand one by one.
    https://pytorch.org/docs/stable/generated/torch.Tensor.reshape.html"""
    warnings.warn("non-inplace resize is deprecated", stacklevel=2)
    return Resize.apply(self, sizes)


def resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    """Deprecated, and warns: `reshape_as` is the same.
    https://pytorch.org/docs/stable/generated/torch.Tensor.reshape_as.html"""
    warnings.warn("non-inplace resize_as is deprecated", stacklevel=2)
    return Resize.apply(self, tensor.size())


METHODS: dict = {"solve": solve, "lstsq": lstsq, "eig": eig, "symeig": symeig, "reinforce": reinforce, "resize": resize,
                 "resize_as": resize_as}
