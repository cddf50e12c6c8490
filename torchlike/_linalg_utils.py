"""Functions of linear algebra that PyTorch has removed, and still names: they say what replaces them."""

from torchlike._api import removed


def matrix_rank(input, tol=None, symmetric=False, *, out=None):
    """`torch.linalg.matrix_rank` has replaced it.

    Args:
        input, tol, symmetric, out: not looked at.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(removed.MATRIX_RANK)


def solve(input, A, *, out=None):  # noqa: N803 - PyTorch's name
    """`torch.linalg.solve` has replaced it.

    Args:
        input, A, out: not looked at.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(removed.SOLVE)


def lstsq(input, A, *, out=None):  # noqa: N803 - PyTorch's name
    """`torch.linalg.lstsq` has replaced it.

    Args:
        input, A, out: not looked at.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(removed.LSTSQ)


def _symeig(input, eigenvectors=False, upper=True, *, out=None):
    """`torch.linalg.eigh` has replaced it.

    Args:
        input, eigenvectors, upper, out: not looked at.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(removed.SYMEIG)


def eig(self, eigenvectors=False, *, e=None, v=None):
    """`torch.linalg.eig` has replaced it.

    Args:
        self, eigenvectors, e, v: not looked at.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(removed.EIG)
