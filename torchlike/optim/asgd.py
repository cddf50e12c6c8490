"""`torch.optim.ASGD`: https://pytorch.org/docs/stable/generated/torch.optim.ASGD.html"""

from torchlike.optim import rules
from torchlike.optim.rule_optimizer import RuleOptimizer, check, check_lr, filled, scalar, used


class ASGD(RuleOptimizer):
    """Stochastic gradient descent that keeps an average of each parameter, under "ax" in its state.
    https://pytorch.org/docs/stable/generated/torch.optim.ASGD.html and https://doi.org/10.1137/0330046

    Args:
        lr: the first learning rate. That after step t is lr / (1 + lambd * lr * t) ** alpha.
        lambd, alpha: see `lr`. Each step also multiplies the parameter by 1 - lambd * (the rate).
        t0: the step at which averaging begins; before it the average is the parameter.
        params, weight_decay, foreach, maximize, differentiable: as for `SGD`.
        capturable: as for `Adam`.

    Raises:
        ValueError: `lr` or `weight_decay` is negative.
    """

    rule = rules.asgd
    capturable_names = "params, mus, etas, and state_steps"
    settings = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}  # noqa: RUF012

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False,
                 differentiable=False, capturable=False):
        check_lr(lr)
        check("weight_decay value", weight_decay)
        super().__init__(params, {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay,
                                  "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
                                  "capturable": capturable})

    def _form(self, group):
        decay = group["weight_decay"]
        return ((group["maximize"], used(decay)), ("step", "eta", "mu", "ax"),
                (group["lr"], group["lambd"], group["alpha"], group["t0"], decay))

    def _start(self, entries, p, group):
        entries["step"] = scalar(0, p, group)
        entries["eta"] = scalar(float(group["lr"]), p, group)
        entries["mu"] = scalar(1, p, group)
        entries["ax"] = filled(p)
