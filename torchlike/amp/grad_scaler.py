"""`torch.amp.GradScaler`: a loss is scaled so that small gradients do not vanish in half precision.

https://pytorch.org/docs/stable/amp.html#gradient-scaling
"""

import collections
import enum
import inspect
import warnings
from collections.abc import Iterable
from typing import Any, cast

from torchlike import _api
from torchlike._base import dtypes
from torchlike._compile.backends.registry import accelerators
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad

__all__ = ["GradScaler", "OptState"]

_HALF = (dtypes.float16, dtypes.bfloat16)
_FIX = "This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration."
_NEW_SCALE = ("new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with "
              "requires_grad=False.")
_PASSES_ITSELF = (
    "GradScaler is going to stop passing itself as a keyword argument to the passed optimizer. In the near future "
    "GradScaler registers `grad_scale: Tensor` and `found_inf: Tensor` to the passed optimizer and let the optimizer use "
    "them directly.")


class OptState(enum.Enum):
    """Where an optimizer is in an iteration."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _fresh() -> dict:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


def _scalar(value, dtype, device) -> Tensor:
    return _api.full((), value, dtype=dtype, device=device)


class _Copies(dict):
    """A tensor's copies, made on each device when they are first needed."""

    def __init__(self, master):
        super().__init__()
        self.master = master

    def __missing__(self, device):
        made = self[device] = self.master.to(device=device, copy=True)
        return made


def _unscale(grads, found_inf, inv_scale) -> None:
    """Multiply the gradients, and make `found_inf` 1 if one of them is not finite."""
    for grad in grads:
        found_inf.copy_(_api.maximum(found_inf, grad.isfinite().all().logical_not().to(found_inf.dtype)))
        if grad.dtype in _HALF:
            grad.copy_(grad.float() * inv_scale)
        else:
            grad.mul_(inv_scale)


class GradScaler:
    """Multiplies losses by a scale, so that small gradients do not vanish in half precision. A step whose gradients are
    not finite is skipped and makes the scale smaller; `growth_interval` good steps in a row make it larger.
    https://pytorch.org/docs/stable/amp.html#torch.amp.GradScaler

    Args:
        device: "cuda", which without a GPU disables the scaler with a warning, or "cpu".
        init_scale: the scale at first.
        growth_factor: what it is multiplied by to grow, above 1.
        backoff_factor: what it is multiplied by to shrink, below 1.
        growth_interval: after how many good steps it grows.
        enabled: whether to scale at all; else every method passes its argument through.

    Raises:
        AssertionError: a factor is out of range.
    """

    def __init__(self, device: str = "cuda", init_scale: float = 2.0**16, growth_factor: float = 2.0,
                 backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True) -> None:
        self._device, self._enabled = device, enabled
        if device == "cuda" and enabled and not accelerators():
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale, self._init_growth_tracker = init_scale, 0
        self._scale: Tensor | None = None  # both are made by the first `scale`
        self._growth_tracker: Tensor | None = None
        self._growth_factor, self._backoff_factor, self._growth_interval = growth_factor, backoff_factor, growth_interval
        self._per_optimizer_states: dict = collections.defaultdict(_fresh)

    def _started(self, function) -> tuple:
        """(scale, growth tracker); AssertionError before the first `scale`."""
        for name in ("_scale", "_growth_tracker"):
            if getattr(self, name) is None:
                raise AssertionError(f"Attempted {function} but {name} is None.  {_FIX}")
        return self._scale, self._growth_tracker

    # -- scaling

    def scale(self, outputs):
        """Multiplies outputs by the scale.
        https://pytorch.org/docs/stable/amp.html#torch.amp.GradScaler.scale

        Args:
            outputs: a tensor, or an iterable of tensors.

        Returns:
            The same form.
        """
        return self._scaled(outputs) if self._enabled else outputs

    def _scaled(self, value):
        if isinstance(value, Tensor):
            if self._scale is None:
                self._scale = _scalar(self._init_scale, dtypes.float32, value.device)
                self._growth_tracker = _scalar(self._init_growth_tracker, dtypes.int32, value.device)
            return value * self._scale.to(value.device)
        if isinstance(value, Iterable):
            parts = (self._scaled(x) for x in value)
            return type(value)(parts) if isinstance(value, list | tuple) else parts
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    # -- an optimizer's step

    def unscale_(self, optimizer) -> None:
        """Divides the gradients of an optimizer's parameters by the scale in place, at most once before its step.
        https://pytorch.org/docs/stable/amp.html#torch.amp.GradScaler.unscale_

        Args:
            optimizer: the optimizer.

        Raises:
            RuntimeError: it was called already, or the step was.
        """
        if not self._enabled:
            return
        scale, _ = self._started("unscale_")
        mine = self._per_optimizer_states[id(optimizer)]
        if mine["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if mine["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = scale.double().reciprocal().float()
        mine["found_inf_per_device"] = self._unscale_grads_(
            optimizer, inverse, _scalar(0.0, dtypes.float32, scale.device), allow_fp16=False)
        mine["stage"] = OptState.UNSCALED

    def _unscale_grads_(self, optimizer, inv_scale, found_inf, allow_fp16) -> dict:
        """Multiplies the gradients; returns whether any was not finite, by device."""
        inverses, found = _Copies(inv_scale), _Copies(found_inf)
        by_device = collections.defaultdict(list)
        with no_grad():
            for grad in _gradients(optimizer):
                if grad.dtype is dtypes.float16 and not allow_fp16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                by_device[grad.device].append(grad)
            for device, grads in by_device.items():
                _unscale(grads, found[device], inverses[device])
        return dict(found)

    def step(self, optimizer, *args, **kwargs):
        """An optimizer's step with unscaled gradients; nothing if one of them is not finite.
        https://pytorch.org/docs/stable/amp.html#torch.amp.GradScaler.step

        Args:
            optimizer: the optimizer.
            args, kwargs: those of its `step`.

        Returns:
            The result of `step`, or None.

        Raises:
            RuntimeError: there is a `closure`, or the step was called already.
            AssertionError: no gradient was looked at.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._started("step")
        mine = self._per_optimizer_states[id(optimizer)]
        if mine["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            result = self._delegate(optimizer, mine, args, kwargs)
        else:
            if mine["stage"] is OptState.READY:
                self.unscale_(optimizer)
            if not mine["found_inf_per_device"]:
                raise AssertionError("No inf checks were recorded for this optimizer.")
            result = self._maybe_opt_step(optimizer, mine, *args, **kwargs)
        mine["stage"] = OptState.STEPPED
        return result

    def _maybe_opt_step(self, optimizer, optimizer_state, *args, **kwargs):
        if any(found.item() for found in optimizer_state["found_inf_per_device"].values()):
            return None
        return optimizer.step(*args, **kwargs)

    def _delegate(self, optimizer, mine, args, kwargs):
        """The step of an optimizer that unscales and skips by itself."""
        if "grad_scaler" in inspect.signature(optimizer.step).parameters:
            warnings.warn(_PASSES_ITSELF, FutureWarning, stacklevel=3)
            return optimizer.step(*args, **kwargs, grad_scaler=self)
        if mine["stage"] is OptState.READY:
            self._check_inf_per_device(optimizer)
        scale, _ = self._started("step")
        before = getattr(optimizer, "grad_scale", None)
        if mine["stage"] is OptState.READY:
            before = scale * (1 if before is None else before)
        optimizer.grad_scale = before
        optimizer.found_inf = sum(found.to(scale.device) for found in mine["found_inf_per_device"].values())
        result = optimizer.step(*args, **kwargs)
        del optimizer.grad_scale, optimizer.found_inf
        return result

    def _check_inf_per_device(self, optimizer) -> dict:
        """What is not finite, without unscaling."""
        scale, _ = self._started("_check_inf_per_device")
        found = self._unscale_grads_(optimizer, _scalar(1.0, dtypes.float32, scale.device),
                                     _scalar(0.0, dtypes.float32, scale.device), allow_fp16=True)
        self._per_optimizer_states[id(optimizer)]["found_inf_per_device"] = found
        return found

    def _found_inf_per_device(self, optimizer) -> dict:
        return self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]

    # -- the scale

    def update(self, new_scale=None) -> None:
        """Makes the scale smaller or larger, as the steps since the last update require.
        https://pytorch.org/docs/stable/amp.html#torch.amp.GradScaler.update

        Args:
            new_scale: sets it instead: a float, or a tensor of one element.

        Raises:
            AssertionError: `new_scale` is something else.
        """
        if not self._enabled:
            return
        scale, tracker = self._started("update")
        with no_grad():
            if new_scale is None:
                self._adapt(scale, tracker)
            elif isinstance(new_scale, float):
                scale.fill_(new_scale)
            elif new_scale.device.type != self._device or new_scale.numel() != 1 or new_scale.requires_grad:
                raise AssertionError(_NEW_SCALE)
            else:
                scale.copy_(new_scale)
        self._per_optimizer_states = collections.defaultdict(_fresh)

    def _adapt(self, scale, tracker) -> None:
        found = [x.to(scale.device) for mine in self._per_optimizer_states.values()
                 for x in mine["found_inf_per_device"].values()]
        if not found:
            raise AssertionError("No inf checks were recorded prior to update.")
        several: Any = sum(found)  # a Tensor, as they are
        bad, steps = several != 0, tracker + 1
        full = steps == self._growth_interval
        smaller, larger = ((scale.double() * factor).float() for factor in (self._backoff_factor, self._growth_factor))
        kept = _api.where(full & larger.isfinite(), larger, scale)
        scale.copy_(_api.where(bad, smaller, kept))
        tracker.copy_(steps.masked_fill(bad | full, 0))

    def _get_scale_async(self) -> Tensor | None:
        return self._scale

    def get_scale(self) -> float:
        """The scale as a float, which reads it; 1.0 if scaling is disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else cast("float", self._scale.item())

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else cast("int", self._growth_tracker.item())

    def get_growth_factor(self) -> float:
        """What the scale is multiplied by to grow."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Sets what the scale is multiplied by to grow.

        Args:
            new_factor: above 1.
        """
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """What the scale is multiplied by to shrink."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets what the scale is multiplied by to shrink.

        Args:
            new_factor: below 1.
        """
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many good steps in a row the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Sets after how many good steps in a row the scale grows.

        Args:
            new_interval: how many.
        """
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Whether losses are scaled."""
        return self._enabled

    # -- saving

    def state_dict(self) -> dict:
        """The scale, its factors, the interval and the count of good steps; empty if scaling is disabled.
        https://pytorch.org/docs/stable/amp.html#torch.amp.GradScaler.state_dict
        """
        if not self._enabled:
            return {}
        return {"scale": self.get_scale(), "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
                "growth_interval": self._growth_interval, "_growth_tracker": self._get_growth_tracker()}

    def load_state_dict(self, state_dict: dict) -> None:
        """Goes on from a state.
        https://pytorch.org/docs/stable/amp.html#torch.amp.GradScaler.load_state_dict

        Args:
            state_dict: what `state_dict` gave.

        Raises:
            RuntimeError: it is empty.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a disabled instance of "
                               "GradScaler.")
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_scale, self._init_growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]
        for mine, value in ((self._scale, self._init_scale), (self._growth_tracker, self._init_growth_tracker)):
            if mine is not None:
                mine.fill_(value)

    def __getstate__(self) -> dict:
        kept = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError("A GradScaler instance may only be pickled at the beginning of an iteration, or at the "
                                     "end after scaler.update().")
            kept |= {"_init_scale": self.get_scale(), "_init_growth_tracker": self._get_growth_tracker(),
                     "_scale": None, "_growth_tracker": None}
        return kept

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)


def _gradients(optimizer):
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if not isinstance(parameter, Tensor):
                raise AssertionError(f"expected param to be torch.Tensor, got {type(parameter).__name__}")
            if parameter.grad is not None:
                yield parameter.grad
