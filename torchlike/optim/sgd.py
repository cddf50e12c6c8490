"""`torch.optim.SGD`: https://pytorch.org/docs/stable/generated/torch.optim.SGD.html"""

from torchlike._record.trace import state
from torchlike.optim import rules
from torchlike.optim.rule_optimizer import RuleOptimizer, check_one, filled, used


class SGD(RuleOptimizer):
    """Stochastic gradient descent: p - lr * g, or p - lr * b with b the momentum buffer.
    https://pytorch.org/docs/stable/generated/torch.optim.SGD.html

    The options of this class mean the same in the other optimizers. A step is one instruction for each group, whichever
    implementation is asked for.

    Args:
        params: as for `Optimizer`.
        lr: the learning rate: a number, or a Tensor of one element, which is read at each step.
        momentum: the buffer is `momentum` times the last one plus (1 - `dampening`) times the gradient; the first one is the
            gradient. 0 means no buffer.
        dampening: see `momentum`.
        weight_decay: this part of the parameter is added to the gradient.
        nesterov: whether the step is g + momentum * b.
        maximize: whether the gradient is followed upwards.
        foreach: accepted as PyTorch's choice of an implementation; changes nothing.
        differentiable: whether steps are part of the autograd graph; the parameters then need not be leaves.
        fused: accepted as `foreach` is; the step refuses parameters that are not of floating dtype.

    Raises:
        ValueError: `lr`, `momentum` or `weight_decay` is negative, `lr` is a Tensor of several elements, or `nesterov`
            stands without momentum or with dampening.
        RuntimeError: `fused` stands with `differentiable` or `foreach`.
    """

    rule = rules.sgd
    settings = {"nesterov": False, "maximize": False, "foreach": None,  # noqa: RUF012
                "differentiable": False, "fused": False}

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False,
                 foreach=None, differentiable=False, fused=None):
        check_one(lr)
        for what, value in (("learning rate", lr), ("momentum value", momentum), ("weight_decay value", weight_decay)):
            if value < 0.0:
                raise ValueError(f"Invalid {what}: {value}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
                                  "nesterov": nesterov, "maximize": maximize, "foreach": foreach,
                                  "differentiable": differentiable, "fused": fused})
        check_fused(fused, foreach, differentiable)

    def _form(self, group, first=False):
        momentum, dampening, decay = group["momentum"], group["dampening"], group["weight_decay"]
        flags = (group["maximize"], used(decay), group["nesterov"], dampening != 0, first)
        return flags, ("momentum_buffer",) if momentum != 0 else (), (group["lr"], decay, momentum, dampening)

    def _check_sparse(self, group):
        if group["weight_decay"] != 0:
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")

    def _start(self, entries, p, group):
        entries["momentum_buffer"] = filled(p)

    def _update(self, place, group, params, **changes):
        if group["momentum"] == 0:
            super()._update(place, group, params)
            return
        fresh = [p for p in params if p._grad is not None and self.state[p].get("momentum_buffer") is None]
        if not fresh:
            super()._update(place, group, params)
            return
        try:
            for p in fresh:
                self._start(self.state[p], p, group)
            self._first_update(place, group, params, fresh)
        except BaseException:  # an interruption: buffers of zeros that no gradient has met are no buffers
            for p in fresh:
                buffer = self.state[p].get("momentum_buffer")
                if buffer is not None and not buffer._version:
                    del self.state[p]["momentum_buffer"]
            raise

    def _first_update(self, place, group, params, fresh):
        """`_update` where these parameters have a new buffer of zeros."""
        if group["dampening"] == 0 and not state.thread.grad:  # a buffer of zeros becomes the first gradient, as it should
            super()._update(place, group, params)
            return
        new = set(fresh)
        super()._update((place, "first"), group, fresh, first=True)
        super()._update(place, group, [p for p in params if p not in new])


def check_fused(fused, foreach, differentiable) -> None:
    """Refuses implementations that exclude each other.

    Args:
        fused, foreach, differentiable: the options of an optimizer.

    Raises:
        RuntimeError: `fused` stands with one of the others.
    """
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
