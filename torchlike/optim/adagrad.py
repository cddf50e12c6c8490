"""`torch.optim.Adagrad`: https://pytorch.org/docs/stable/generated/torch.optim.Adagrad.html"""

from torchlike.optim import rules
from torchlike.optim.rule_optimizer import RuleOptimizer, check, check_lr, filled, scalar, used
from torchlike.optim.sgd import check_fused


class Adagrad(RuleOptimizer):
    """Learning rates that fall with the root of the sum of squared gradients. Its state exists from the start.
    https://pytorch.org/docs/stable/generated/torch.optim.Adagrad.html and https://jmlr.org/papers/v12/duchi11a.html

    Args:
        lr_decay: the learning rate of step t, counted from 0, is lr / (1 + t * lr_decay).
        initial_accumulator_value: what the sums begin with.
        eps: added to the root.
        params, lr, weight_decay, foreach, maximize, differentiable, fused: as for `SGD`.

    Raises:
        ValueError: an option is negative.
        RuntimeError: `fused` stands with `differentiable` or `foreach`.
    """

    rule = rules.adagrad
    settings = {"maximize": False, "foreach": None, "differentiable": False, "fused": None}  # noqa: RUF012

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None,
                 *, maximize=False, differentiable=False, fused=None):
        check_lr(lr)
        check("lr_decay value", lr_decay)
        check("weight_decay value", weight_decay)
        check("initial_accumulator_value value", initial_accumulator_value)
        check("epsilon value", eps)
        super().__init__(params, {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
                                  "initial_accumulator_value": initial_accumulator_value, "foreach": foreach,
                                  "maximize": maximize, "differentiable": differentiable, "fused": fused})
        check_fused(fused, foreach, differentiable)
        for group in self.param_groups:
            for p in group["params"]:
                self._start(self.state[p], p, group)

    def _check_sparse(self, group):
        if group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")

    def share_memory(self) -> None:
        """Calls `share_memory_` on the sums."""
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["sum"].share_memory_()

    def _form(self, group):
        decay = group["weight_decay"]
        return ((group["maximize"], used(decay)), ("step", "sum"), (group["lr"], decay, group["lr_decay"], group["eps"]))

    def _start(self, entries, p, group):
        entries["step"] = scalar(0, p, group)
        entries["sum"] = filled(p, self.defaults["initial_accumulator_value"])
