"""`torch.nn.utils.spectral_norm`, the older form with a hook: `parametrizations.spectral_norm` is the newer one.
https://pytorch.org/docs/stable/generated/torch.nn.utils.spectral_norm.html
"""

from torchlike import _api
from torchlike.autograd.grad_mode import no_grad
from torchlike.nn import functional as F
from torchlike.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from torchlike.nn.parameter import Parameter
from torchlike.nn.utils._norm_hooks import find, refuse_second, take_off


class SpectralNorm:
    """The hook of `spectral_norm`: before each forward pass it divides a parameter by its largest singular value. Differs
    from PyTorch: state dicts from before its version 1.0, which have no ``<name>_v``, are not converted.

    Args:
        name, n_power_iterations, dim, eps: as for `spectral_norm`.

    Raises:
        ValueError: `n_power_iterations` is not positive.
    """

    _version = 1

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12):
        self.name, self.dim, self.eps = name, dim, eps
        if n_power_iterations <= 0:
            raise ValueError("Expected n_power_iterations to be positive, but got "
                             f"n_power_iterations={n_power_iterations}")
        self.n_power_iterations = n_power_iterations

    def reshape_weight_to_matrix(self, weight):
        """The weight as a matrix.

        Args:
            weight: (*).

        Returns:
            (extent of `dim`, product of the others).
        """
        return weight.movedim(self.dim, 0).flatten(1) if weight.ndim > 1 else weight.reshape(len(weight), -1)

    def compute_weight(self, module, do_power_iteration: bool):
        """The weight over its largest singular value.

        Args:
            module: the module.
            do_power_iteration: whether to bring the singular vectors up to date.

        Returns:
            a tensor.
        """
        weight = getattr(module, self.name + "_orig")
        u, v = getattr(module, self.name + "_u"), getattr(module, self.name + "_v")
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(_api.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(_api.mv(matrix, v), dim=0, eps=self.eps))
                u, v = u.clone(), v.clone()  # backward needs these values, and the next step overwrites the buffers
        return weight / _api.dot(u, _api.mv(matrix, v))

    @staticmethod
    def apply(module, name: str, n_power_iterations: int, dim: int, eps: float) -> "SpectralNorm":
        """Puts the hook on a module.

        Args:
            module: the module.
            name, n_power_iterations, dim, eps: as for `spectral_norm`.

        Returns:
            The hook.

        Raises:
            RuntimeError: there is one already.
            ValueError: the parameter is None, or `n_power_iterations` is not positive.
        """
        refuse_second(module, SpectralNorm, name, "spectral_norm")
        made = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        with no_grad():
            u, v = (F.normalize(weight.new_empty(size).normal_(0, 1), dim=0, eps=eps)
                    for size in made.reshape_weight_to_matrix(weight).shape)
        del module._parameters[name]
        module.register_parameter(name + "_orig", weight)
        setattr(module, name, weight.data)  # so that the attribute exists before the first forward pass
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(made)
        module._register_state_dict_hook(_Version(name))
        return made

    def remove(self, module) -> None:
        """Makes the divided weight a plain parameter again.

        Args:
            module: the module.
        """
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module, inputs) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))


class _Version:
    """Writes the version of the format into a state dict's metadata."""

    def __init__(self, name: str):
        self.name = name

    def __call__(self, module, state_dict, prefix, local_metadata) -> None:
        found = local_metadata.setdefault("spectral_norm", {})
        key = self.name + ".version"
        if key in found:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        found[key] = SpectralNorm._version


def spectral_norm(module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None):
    """Divides a parameter by its largest singular value; what it is computed from is ``<name>_orig``.
    `parametrizations.spectral_norm` is the newer form.

    Args:
        module: the module.
        name: the parameter's name.
        n_power_iterations: how many power iterations a forward pass in training makes.
        eps: what norms count as at least.
        dim: the dimension along which the rows of the matrix go; None means 1 for transposed convolutions, else 0.

    Returns:
        The module.

    Raises:
        As for `SpectralNorm`.
    """
    if dim is None:
        dim = 1 if isinstance(module, ConvTranspose1d | ConvTranspose2d | ConvTranspose3d) else 0
    SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def remove_spectral_norm(module, name: str = "weight"):
    """Undoes `spectral_norm`. https://pytorch.org/docs/stable/generated/torch.nn.utils.remove_spectral_norm.html

    Args:
        module, name: as for `spectral_norm`.

    Returns:
        The module.

    Raises:
        ValueError: the parameter has no such norm.
    """
    take_off(module, SpectralNorm, name, "spectral_norm")
    module._state_dict_hooks.pop(find(module._state_dict_hooks, _Version, name), None)
    return module
