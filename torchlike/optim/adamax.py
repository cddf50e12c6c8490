"""`torch.optim.Adamax`: https://pytorch.org/docs/stable/generated/torch.optim.Adamax.html"""

from torchlike.optim import rules
from torchlike.optim.rule_optimizer import RuleOptimizer, check, check_betas, check_lr, filled, scalar, used


class Adamax(RuleOptimizer):
    """Adam with the infinity norm: v is the largest gradient so far, which fades.
    https://pytorch.org/docs/stable/generated/torch.optim.Adamax.html and https://arxiv.org/abs/1412.6980

    Args:
        betas: the decay of the mean gradient and that of the norm, in [0, 1).
        eps: added to the gradient's size before the larger is taken.
        params, lr, weight_decay, foreach, maximize, differentiable: as for `SGD`.
        capturable: as for `Adam`.

    Raises:
        ValueError: an option is out of range.
    """

    rule = rules.adamax
    settings = {"maximize": False, "foreach": None, "capturable": False, "differentiable": False}  # noqa: RUF012

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, maximize=False,
                 differentiable=False, capturable=False):
        check_lr(lr)
        check("epsilon value", eps)
        check_betas(betas)
        check("weight_decay value", weight_decay)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
                                  "capturable": capturable})

    def _form(self, group):
        beta1, beta2 = group["betas"]
        decay = group["weight_decay"]
        return ((group["maximize"], used(decay)), ("step", "exp_avg", "exp_inf"),
                (group["lr"], beta1, beta2, group["eps"], decay))

    def _start(self, entries, p, group):
        entries["step"] = scalar(0, p, group)
        entries["exp_avg"] = filled(p)
        entries["exp_inf"] = filled(p)
