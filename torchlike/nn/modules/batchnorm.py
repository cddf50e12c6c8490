"""Batch normalisation. https://pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html"""

from typing import Any

from torchlike import _api
from torchlike._base import dtypes as dt
from torchlike._c10d import world
from torchlike._c10d.differentiable import AllGather
from torchlike._record.tensor import Tensor
from torchlike.autograd import grad_mode
from torchlike.nn import functional as F
from torchlike.nn import init
from torchlike.nn.modules._parameters import new_parameter
from torchlike.nn.modules.lazy import LazyLayer
from torchlike.nn.modules.module import Module
from torchlike.nn.parameter import UninitializedBuffer, is_lazy

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d",
           "SyncBatchNorm"]

_STATISTICS = ("running_mean", "running_var", "num_batches_tracked")


class _NormBase(Module):
    """Scale, shift and running statistics per channel; shared by batch and instance norm."""

    running_mean: Any
    running_var: Any
    num_batches_tracked: Any
    # 2: num_batches_tracked is in the state dict.
    _version = 2

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
                 affine: bool = True, track_running_stats: bool = True, device=None, dtype=None, *,
                 bias: bool = True):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            made = new_parameter(num_features, device=device, dtype=dtype) if wanted else None
            self.register_parameter(name, made)
        if track_running_stats:
            self.register_buffer("running_mean", _api.zeros(num_features, device=device, dtype=dtype))
            self.register_buffer("running_var", _api.ones(num_features, device=device, dtype=dtype))
            self.register_buffer("num_batches_tracked", _api.tensor(0, dtype=dt.int64, device=device))
        else:
            for name in _STATISTICS:
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self):
        """Forgets the running statistics: mean 0, variance 1."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Forgets the running statistics and sets the scale to 1 and the shift to 0."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input):
        raise NotImplementedError

    def extra_repr(self) -> str:
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
                f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}")

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
        if (local_metadata.get("version") or 1) < 2 and self.track_running_stats:
            key = f"{prefix}num_batches_tracked"
            if key not in state_dict:
                count = self.num_batches_tracked
                state_dict[key] = _api.tensor(0, dtype=dt.int64) if count is None else count
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


class _BatchNorm(_NormBase):
    _dims: tuple = ()

    def _check_input_dim(self, input):
        if input.dim() not in self._dims:
            wanted = " or ".join(f"{dim}D" for dim in self._dims)
            raise ValueError(f"expected {wanted} input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # a plain average over all batches
                momentum = 1.0 / float(self.num_batches_tracked)
        mean, var = self.running_mean, self.running_var
        from_batch = self.training or (mean is None and var is None)
        if self.training and not self.track_running_stats:
            mean = var = None
        return F.batch_norm(input, mean, var, self.weight, self.bias, from_batch, momentum, self.eps)

    def _forget_statistics(self) -> None:
        """For `torch.func.replace_all_batch_norm_modules_`."""
        if self.track_running_stats:
            self.running_mean = self.running_var = self.num_batches_tracked = None
            self.track_running_stats = False


class BatchNorm1d(_BatchNorm):
    """Normalises each channel over the batch: (x - mean) / sqrt(var + eps) weight + bias. In training mean and variance
    are the batch's own, and the running ones move towards them; in evaluation they are the running ones.
    https://pytorch.org/docs/stable/generated/torch.nn.BatchNorm1d.html

    Args:
        num_features: C.
        eps: added to the variance.
        momentum: the share of a batch in the running values; None means a plain average over all batches.
        affine: whether there are `weight` and `bias` (C), 1 and 0 at first.
        track_running_stats: whether there are the buffers `running_mean` and `running_var` (C) and `num_batches_tracked`.
            Without them the batch's own are used in evaluation, too.
        device, dtype: of parameters and buffers.
        bias: whether `affine` includes `bias`.

    Shape:
        (N, C) or (N, C, L), to the same; ValueError for other numbers of dimensions.
    """

    _dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """`BatchNorm1d` for images.
    https://pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html

    Args:
        As for `BatchNorm1d`.

    Shape:
        (N, C, H, W), to the same; ValueError for other numbers of dimensions.
    """

    _dims = (4,)


class BatchNorm3d(_BatchNorm):
    """`BatchNorm1d` for volumes.
    https://pytorch.org/docs/stable/generated/torch.nn.BatchNorm3d.html

    Args:
        As for `BatchNorm1d`.

    Shape:
        (N, C, D, H, W), to the same; ValueError for other numbers of dimensions.
    """

    _dims = (5,)


class SyncBatchNorm(_BatchNorm):
    """`BatchNorm1d` for any number of dimensions, over the batches of a group of processes: in training mean and variance
    are those of all ranks' samples. On the CPU, too, where PyTorch refuses it.
    https://pytorch.org/docs/stable/generated/torch.nn.SyncBatchNorm.html

    Args:
        num_features, eps, momentum, affine, track_running_stats, device, dtype, bias: as for `BatchNorm1d`.
        process_group: the group; where it is None the default one, if there is one.

    Shape:
        (N, C, ...), to the same; ValueError for fewer than two dimensions.
    """

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
                 track_running_stats: bool = True, process_group: Any = None, device=None, dtype=None, *, bias: bool = True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        group = world.default_or_none() if self.process_group is None else self.process_group
        from_batch = self.training or self.running_mean is None
        if not from_batch or group is None or world.get_world_size(group) == 1:
            return super().forward(input)
        self._check_input_dim(input)
        return self._over_ranks(input, group)

    def _over_ranks(self, input, group):
        """By mean and variance of all ranks' samples: one collective each way."""
        dims, shape = [d for d in range(input.dim()) if d != 1], (1, -1, *(1,) * (input.dim() - 2))
        wide = input.float() if input.dtype.itemsize < 4 else input
        count = input.numel() // input.shape[1]
        mean = wide.mean(dims)
        spread = (wide - mean.view(shape)).square().sum(dims)
        rows = AllGather.apply(group, _api.stack([mean, spread, _api.full_like(mean, count)]))
        means, spreads, counts = _api.stack(list(rows), 1)
        total = counts.sum(0)
        mean = (means * counts).sum(0) / total
        var = (spreads + counts * (means - mean).square()).sum(0) / total
        self._track(mean.detach(), (var * total / (total - 1)).detach())
        scale = (var + self.eps).rsqrt()
        out = (wide - mean.view(shape)) * scale.view(shape)
        if self.weight is not None:
            out = out * self.weight.view(shape)
        if self.bias is not None:
            out = out + self.bias.view(shape)
        return out.to(input.dtype)

    def _track(self, mean, var) -> None:
        """The running statistics move towards these."""
        if not self.training or not self.track_running_stats or self.running_mean is None:
            return
        self.num_batches_tracked.add_(1)
        share = 1.0 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
        with grad_mode.no_grad():
            self.running_mean.lerp_(mean.to(self.running_mean.dtype), share)
            self.running_var.lerp_(var.to(self.running_var.dtype), share)

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """A module whose layers of batch normalisation are `SyncBatchNorm`, with the same parameters and buffers.

        Args:
            module: a layer of batch normalisation, which is replaced, or another module, which is changed.
            process_group: as for the class.

        Returns:
            The layer in its place, or the module itself.
        """
        result = module
        if isinstance(module, _BatchNorm):
            result = cls(module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats,
                         process_group, bias=module.bias is not None)
            result.weight, result.bias = module.weight, module.bias
            for name in _STATISTICS:
                setattr(result, name, getattr(module, name))
            result.training = module.training
        for name, child in module.named_children():
            result.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return result


class _LazyNormBase(LazyLayer, _NormBase):
    """Takes `num_features` from the first input."""

    _inferred = "num_features"

    def __init__(self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True):
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self._await(("weight", "bias") if bias else ("weight",), device, dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = _api.tensor(0, dtype=dt.int64, device=device)

    def initialize_parameters(self, input):
        """Gives parameters and statistics their shapes."""
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        for _, value in self._named():
            if is_lazy(value):
                value.materialize((self.num_features,))
        self.reset_parameters()


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """`BatchNorm1d` that takes `num_features` from its first input.
    https://pytorch.org/docs/stable/generated/torch.nn.LazyBatchNorm1d.html

    Args:
        As for `BatchNorm1d`.

    Shape:
        As for `BatchNorm1d`.
    """

    cls_to_become = BatchNorm1d
    _dims = BatchNorm1d._dims


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """`BatchNorm2d` that takes `num_features` from its first input.
    https://pytorch.org/docs/stable/generated/torch.nn.LazyBatchNorm2d.html

    Args:
        As for `BatchNorm1d`.

    Shape:
        As for `BatchNorm2d`.
    """

    cls_to_become = BatchNorm2d
    _dims = BatchNorm2d._dims


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """`BatchNorm3d` that takes `num_features` from its first input.
    https://pytorch.org/docs/stable/generated/torch.nn.LazyBatchNorm3d.html

    Args:
        As for `BatchNorm1d`.

    Shape:
        As for `BatchNorm3d`.
    """

    cls_to_become = BatchNorm3d
    _dims = BatchNorm3d._dims
