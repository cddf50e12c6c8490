"""Parametrizations that PyTorch brings. https://pytorch.org/docs/stable/nn.html#parametrizations-implemented-using-torch-nn-utils-parametrize-register-parametrization"""

from torchlike import _api
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
