"""Instance normalisation. https://pytorch.org/docs/stable/generated/torch.nn.InstanceNorm2d.html"""

import warnings

from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules.batchnorm import _LazyNormBase, _NormBase

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d",
           "LazyInstanceNorm3d"]

_OLD_STATS = (
    "Unexpected running stats buffer(s) {names} for {klass} with track_running_stats=False. If state_dict is "
    "a checkpoint saved before 0.4.0, this may be expected because {klass} does not track running stats by "
    "default since 0.4.0. Please remove these keys from state_dict. If the running stats are actually "
    "needed, instead set track_running_stats=True in {klass} to enable them. See the documentation of "
    "{klass} for details."
)


class _InstanceNorm(_NormBase):
    _unbatched_dim = 0

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
                 affine: bool = False, track_running_stats: bool = False, device=None, dtype=None, *,
                 bias: bool = True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _check_input_dim(self, input):
        low = self._unbatched_dim
        if input.dim() not in (low, low + 1):
            raise ValueError(f"expected {low}D or {low + 1}D input (got {input.dim()}D input)")

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys,
                              unexpected_keys, error_msgs):
        if local_metadata.get("version") is None and not self.track_running_stats:
            keys = [key for key in (f"{prefix}running_mean", f"{prefix}running_var") if key in state_dict]
            if keys:
                names = " and ".join(f'"{key}"' for key in keys)
                error_msgs.append(_OLD_STATS.format(names=names, klass=type(self).__name__))
            for key in keys:
                state_dict.pop(key)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys,
                                      unexpected_keys, error_msgs)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        dim = input.dim() - self._unbatched_dim
        if input.size(dim) != self.num_features:
            if self.affine:
                raise ValueError(f"expected input's size at dim={dim} to match num_features "
                                 f"({self.num_features}), but got: {input.size(dim)}.")
            warnings.warn(f"input's size at dim={dim} does not match num_features. You can silence this "
                          "warning by not passing in num_features, which is not used because affine=False",
                          stacklevel=2)
        if dim == 0:
            return self._normalise(input.unsqueeze(0)).squeeze(0)
        return self._normalise(input)

    def _normalise(self, input):
        return F.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias,
                               self.training or not self.track_running_stats,
                               0.0 if self.momentum is None else self.momentum, self.eps)


class InstanceNorm1d(_InstanceNorm):
    """Normalises each channel of each sample over its spatial dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.InstanceNorm1d.html

    Args:
        As for `BatchNorm1d`; `affine` and `track_running_stats` are False by default.

    Shape:
        (N, C, L) or (C, L), to the same; ValueError for other numbers of dimensions, and with `affine` for other
        channels.
    """

    _unbatched_dim = 2


class InstanceNorm2d(_InstanceNorm):
    """`InstanceNorm1d` for images.
    https://pytorch.org/docs/stable/generated/torch.nn.InstanceNorm2d.html

    Args:
        As for `InstanceNorm1d`.

    Shape:
        (N, C, H, W) or (C, H, W), to the same.
    """

    _unbatched_dim = 3


class InstanceNorm3d(_InstanceNorm):
    """`InstanceNorm1d` for volumes.
    https://pytorch.org/docs/stable/generated/torch.nn.InstanceNorm3d.html

    Args:
        As for `InstanceNorm1d`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W), to the same.
    """

    _unbatched_dim = 4


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """`InstanceNorm1d` that takes `num_features` from dimension 1 of its first input.
    https://pytorch.org/docs/stable/generated/torch.nn.LazyInstanceNorm1d.html

    Args:
        As for `InstanceNorm1d`.

    Shape:
        As for `InstanceNorm1d`.
    """

    cls_to_become = InstanceNorm1d
    _unbatched_dim = InstanceNorm1d._unbatched_dim


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """`InstanceNorm2d` that takes `num_features` from dimension 1 of its first input.
    https://pytorch.org/docs/stable/generated/torch.nn.LazyInstanceNorm2d.html

    Args:
        As for `InstanceNorm1d`.

    Shape:
        As for `InstanceNorm2d`.
    """

    cls_to_become = InstanceNorm2d
    _unbatched_dim = InstanceNorm2d._unbatched_dim


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """`InstanceNorm3d` that takes `num_features` from dimension 1 of its first input.
    https://pytorch.org/docs/stable/generated/torch.nn.LazyInstanceNorm3d.html

    Args:
        As for `InstanceNorm1d`.

    Shape:
        As for `InstanceNorm3d`.
    """

    cls_to_become = InstanceNorm3d
    _unbatched_dim = InstanceNorm3d._unbatched_dim
