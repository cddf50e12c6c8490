"""`torch.optim.Adam` and `AdamW`: https://pytorch.org/docs/stable/generated/torch.optim.Adam.html"""

from torchlike import _api
from torchlike._tensor import Tensor
from torchlike.dtypes import float32
from torchlike.optim import rules
from torchlike.optim.optimizer import Optimizer


class Adam(Optimizer):
    """Adam; ``decoupled_weight_decay`` makes it AdamW. foreach, fused, capturable and differentiable are
    accepted; the step is one instruction in any case.
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
                 maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False):
        if not isinstance(lr, Tensor) and not lr >= 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps >= 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for i, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        if not weight_decay >= 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
                                  "maximize": maximize, "foreach": foreach, "capturable": capturable,
                                  "differentiable": differentiable, "fused": fused,
                                  "decoupled_weight_decay": decoupled_weight_decay})

    def step(self, closure=None):
        """One update; returns the closure's loss."""
        return super().step(closure)

    def _update(self, group):
        params = [p for p in group["params"] if p._grad is not None]
        if not params:
            return
        amsgrad, state = group["amsgrad"], self.state
        states = [state[p] or self._start(state[p], p, amsgrad) for p in params]
        columns = [params, [p._grad for p in params], [s["exp_avg"] for s in states],
                   [s["exp_avg_sq"] for s in states], [s["step"] for s in states]]
        if amsgrad:
            columns.append([s["max_exp_avg_sq"] for s in states])
        decay = group["weight_decay"]
        flags = (("decay", decay != 0), ("decoupled", group["decoupled_weight_decay"]), ("amsgrad", amsgrad),
                 ("maximize", group["maximize"]))
        rules.record_step("adam", rules.adam, flags, columns, [0, 2, 3, 4, 5] if amsgrad else [0, 2, 3, 4],
                          [group["lr"], *group["betas"], group["eps"], decay])

    @staticmethod
    def _start(state, p, amsgrad):
        state["step"] = _api.zeros((), dtype=float32)
        state["exp_avg"] = _api.zeros_like(p)
        state["exp_avg_sq"] = _api.zeros_like(p)
        if amsgrad:
            state["max_exp_avg_sq"] = _api.zeros_like(p)
        return state


class AdamW(Adam):
    """Adam with decoupled weight decay.
    https://pytorch.org/docs/stable/generated/torch.optim.AdamW.html"""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *,
                 maximize=False, foreach=None, capturable=False, differentiable=False, fused=None):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
                         capturable=capturable, differentiable=differentiable, fused=fused,
                         decoupled_weight_decay=True)
