"""`torch.optim.SGD`: https://pytorch.org/docs/stable/generated/torch.optim.SGD.html"""

from torchlike._tensor import Tensor
from torchlike.optim import rules
from torchlike.optim.optimizer import Optimizer


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum, dampening, nesterov and weight decay.

    foreach, fused and differentiable are accepted; the step is one instruction in any case.
    """

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False,
                 foreach=None, differentiable=False, fused=None):
        if not isinstance(lr, Tensor) and lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
                                  "nesterov": nesterov, "maximize": maximize, "foreach": foreach,
                                  "differentiable": differentiable, "fused": fused})

    def step(self, closure=None):
        """One update; returns the closure's loss."""
        return super().step(closure)

    def _update(self, group):
        params = [p for p in group["params"] if p._grad is not None]
        if not params:
            return
        decay, numbers = group["weight_decay"] != 0, [group["lr"], group["weight_decay"]]
        if not group["momentum"]:
            flags = (("decay", decay), ("maximize", group["maximize"]))
            rules.record_step("sgd", rules.sgd_plain, flags, [params, [p._grad for p in params]], [0], numbers)
            return
        fresh = [p for p in params if self.state[p].get("momentum_buffer") is None]
        old = [p for p in params if self.state[p].get("momentum_buffer") is not None]
        for first, some in ((True, fresh), (False, old)):
            if some:
                self._with_momentum(group, some, first, decay, numbers)

    def _with_momentum(self, group, params, first, decay, numbers):
        if first:
            for p in params:
                self.state[p]["momentum_buffer"] = p._grad.detach().clone()
        flags = (("decay", decay), ("nesterov", group["nesterov"]), ("dampened", group["dampening"] != 0),
                 ("maximize", group["maximize"]), ("first", first))
        columns = [params, [p._grad for p in params], [self.state[p]["momentum_buffer"] for p in params]]
        rules.record_step("sgd_momentum", rules.sgd, flags, columns, [0, 2],
                          [*numbers, group["momentum"], group["dampening"]])
