"""`torch.nn.utils.weight_norm`, the older form with a hook: `parametrizations.weight_norm` is the newer one.
https://pytorch.org/docs/stable/generated/torch.nn.utils.weight_norm.html
"""

import warnings

from torchlike.nn._torch_namespace import norm_except_dim
from torchlike.nn.parameter import Parameter
from torchlike.nn.utils._norm_hooks import refuse_second, take_off


class WeightNorm:
    """The hook of `weight_norm`: before each forward pass it computes a parameter from its length and its direction.

    Args:
        name: the parameter's name.
        dim: as for `weight_norm`.
    """

    def __init__(self, name: str, dim: int):
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module):
        """The weight that the two parameters stand for.

        Args:
            module: the module.

        Returns:
            a tensor.
        """
        g, v = getattr(module, self.name + "_g"), getattr(module, self.name + "_v")
        return v * (g / norm_except_dim(v, 2, self.dim))

    @staticmethod
    def apply(module, name: str, dim: int) -> "WeightNorm":
        """Puts the hook on a module.

        Args:
            module: the module.
            name, dim: as for `weight_norm`.

        Returns:
            The hook.

        Raises:
            RuntimeError: there is one already.
        """
        refuse_second(module, WeightNorm, name, "weight_norm")
        made = WeightNorm(name, dim)
        weight = getattr(module, name)
        del module._parameters[name]
        module.register_parameter(name + "_g", Parameter(norm_except_dim(weight, 2, made.dim).data))
        module.register_parameter(name + "_v", Parameter(weight.data))
        setattr(module, name, made.compute_weight(module))
        module.register_forward_pre_hook(made)
        return made

    def remove(self, module) -> None:
        """Makes one parameter of the two again.

        Args:
            module: the module.
        """
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"], module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module, inputs) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module, name: str = "weight", dim: int = 0):
    """Turns a parameter into a length times a direction, the parameters ``<name>_g`` and ``<name>_v``. Deprecated, and
    warns: `parametrizations.weight_norm` is the newer form.

    Args:
        module: the module.
        name: the parameter's name.
        dim: the dimension for each index of which there is a length; None for a single one.

    Returns:
        The module.

    Raises:
        RuntimeError: the parameter has such a norm already.
    """
    warnings.warn("`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
                  FutureWarning, stacklevel=2)
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module, name: str = "weight"):
    """Undoes `weight_norm`. https://pytorch.org/docs/stable/generated/torch.nn.utils.remove_weight_norm.html

    Args:
        module, name: as for `weight_norm`.

    Returns:
        The module.

    Raises:
        ValueError: the parameter has no such norm.
    """
    take_off(module, WeightNorm, name, "weight_norm")
    return module
