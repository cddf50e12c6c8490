"""Parametrizations that PyTorch brings. https://pytorch.org/docs/stable/nn.html#parametrizations-implemented-using-torch-nn-utils-parametrize-register-parametrization"""

from torchlike import _api
from torchlike._api import type_info
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.nn import functional as F
from torchlike.nn._torch_namespace import norm_except_dim
from torchlike.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from torchlike.nn.modules.module import Module
from torchlike.nn.utils import parametrize


class _WeightNorm(Module):
    """A direction and its lengths over all dimensions but one."""

    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return weight_v * (weight_g / norm_except_dim(weight_v, 2, self.dim))

    def right_inverse(self, weight):
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module, name: str = "weight", dim: int = 0):
    """Turns a parameter into a length times a direction, `original0` and `original1` of its ParametrizationList. State
    dicts of the older `torch.nn.utils.weight_norm` can be loaded.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.parametrizations.weight_norm.html

    Args:
        module: the module.
        name: the parameter's name.
        dim: the dimension for each index of which there is a length; None for a single one.

    Returns:
        The module.

    Raises:
        ValueError: there is no parameter of this name.
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state_dict, prefix, *_):
        old = [f"{prefix}{name}_{part}" for part in "gv"]
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(rename)
    return module


class _SpectralNorm(Module):
    """Division by the largest singular value, which power iteration follows from step to step."""

    def __init__(self, weight, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12):
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError("Expected n_power_iterations to be positive, but got "
                             f"n_power_iterations={n_power_iterations}")
        self.dim = dim % ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._matrix(weight)
            u, v = (matrix.new_empty(size).normal_(0, 1) for size in matrix.shape)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._iterate(matrix, 15)

    def _matrix(self, weight):
        return weight.movedim(self.dim, 0).flatten(1)

    @no_grad()
    def _iterate(self, matrix, count) -> None:
        u, v = self._u, self._v
        for _ in range(count):
            u = F.normalize(_api.mv(matrix, v), dim=0, eps=self.eps)
            v = F.normalize(_api.mv(matrix.mH, u), dim=0, eps=self.eps)
        self._u.copy_(u)
        self._v.copy_(v)

    def forward(self, weight):
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()  # backward needs these values, and the next step overwrites the buffers
        return weight / _api.vdot(u, _api.mv(matrix, v))

    def right_inverse(self, value):
        return value


def spectral_norm(module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None):
    """Divides a parameter by its largest singular value, which power iteration follows from step to step.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.parametrizations.spectral_norm.html

    Args:
        module: the module.
        name: the parameter's name.
        n_power_iterations: how many iterations a forward pass in training makes.
        eps: what norms count as at least.
        dim: the dimension along which the rows of the matrix go; None means 1 for transposed convolutions, else 0.

    Returns:
        The module.

    Raises:
        ValueError: there is no parameter of this name, or `n_power_iterations` is not positive.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if isinstance(module, ConvTranspose1d | ConvTranspose2d | ConvTranspose3d) else 0
    parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module


def _is_orthogonal(matrix) -> bool:
    """Whether its columns are orthonormal, up to rounding."""
    rows, columns = matrix.shape[-2:]
    eye = _api.eye(columns, dtype=matrix.dtype, device=matrix.device)
    return _api.allclose(matrix.mH @ matrix, eye, atol=10.0 * rows * type_info.finfo(matrix.dtype).eps)


def _orthogonalized(matrix):
    """The orthogonal factor of a decomposition whose other one has a positive diagonal."""
    reflectors, tau = _api.geqrf(matrix)
    return _api.linalg_householder_product(reflectors, tau) * reflectors.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def _cayley(skew):
    eye = _api.eye(skew.shape[-1], dtype=skew.dtype, device=skew.device)
    return _api.linalg_solve(_api.add(eye, skew, alpha=-0.5), _api.add(eye, skew, alpha=0.5))


_OF_SKEW = {"matrix_exp": _api.matrix_exp, "cayley": _cayley}


class _Orthogonal(Module):
    """A matrix with orthonormal columns, or rows if it has more columns: a map of free numbers, times ``base``."""

    base: Tensor

    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X):  # noqa: N803 - PyTorch's name
        wide = X.shape[-2] < X.shape[-1]
        tall = X.mT if wide else X
        found = self._reflected(tall) if self.orthogonal_map == "householder" else self._of_skew(tall)
        if hasattr(self, "base"):
            found = self.base @ found
        return found.mT if wide else found

    def _of_skew(self, tall):
        rows, columns = tall.shape[-2:]
        lower = tall.tril()
        if rows != columns:
            lower = _api.cat([lower, lower.new_zeros(rows, rows - columns).expand(*lower.shape[:-2], -1, -1)], dim=-1)
        return _OF_SKEW[self.orthogonal_map](lower - lower.mH)[..., :columns]

    def _reflected(self, tall):
        vectors = tall.tril(diagonal=-1)
        tau = 2.0 / (1.0 + (vectors * vectors).sum(dim=-2))
        return _api.linalg_householder_product(vectors, tau) * tall.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    @no_grad()
    def right_inverse(self, Q):  # noqa: N803 - PyTorch's name
        if Q.shape != self.shape:
            raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. "
                             f"Got a tensor of shape {Q.shape}.")
        wide = Q.shape[-2] < Q.shape[-1]
        tall = Q.mT if wide else Q
        if not hasattr(self, "base"):
            reflectors = self._reflectors(tall)
            return reflectors.mT if wide else reflectors
        self.base = self._completed(tall)
        minus_eye = _api.zeros_like(Q)
        minus_eye.diagonal(dim1=-2, dim2=-1).fill_(-1.0)  # a Householder product of zeros with this diagonal is the identity
        return minus_eye

    def _reflectors(self, tall):
        if self.orthogonal_map != "householder":
            raise NotImplementedError("It is not possible to assign to the matrix exponential "
                                      "or the Cayley parametrizations when use_trivialization=False.")
        reflectors, tau = _api.geqrf(tall)
        reflectors.diagonal(dim1=-2, dim2=-1).sign_()
        reflectors.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1  # a direction that LAPACK did not reflect
        return reflectors

    def _completed(self, tall):
        """A square orthogonal matrix that begins with these columns, or with what orthogonalization makes of them."""
        rows, columns = tall.shape[-2:]
        if rows == columns:
            return tall.clone() if _is_orthogonal(tall) else _orthogonalized(tall)
        more = _api.randn(*tall.shape[:-2], rows, rows - columns, dtype=tall.dtype, device=tall.device)
        return _orthogonalized(_api.cat([tall, more], dim=-1))


def orthogonal(module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True):
    """Makes a matrix, or each of a batch, orthogonal or unitary.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.parametrizations.orthogonal.html

    Args:
        module: the module.
        name: the parameter's name.
        orthogonal_map: "matrix_exp", "cayley" or "householder"; None means the first for square and complex matrices, else
            the last.
        use_trivialization: whether to multiply by a matrix, a buffer ``base``, so that the map begins at the identity.

    Returns:
        The module.

    Raises:
        ValueError: there is no parameter of this name, it has fewer than two dimensions, or there is no such map.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in (*_OF_SKEW, "householder"):
        raise ValueError(f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}')
    parametrization = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    parametrize.register_parametrization(module, name, parametrization, unsafe=True)
    return module
