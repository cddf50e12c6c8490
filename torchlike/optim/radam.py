"""`torch.optim.RAdam`: https://pytorch.org/docs/stable/generated/torch.optim.RAdam.html"""

from torchlike.optim import rules
from torchlike.optim.rule_optimizer import RuleOptimizer, check, check_betas, check_lr, filled, scalar, used


class RAdam(RuleOptimizer):
    """Adam that follows the mean gradient alone until the variance is known well enough, and then rectifies it.
    https://pytorch.org/docs/stable/generated/torch.optim.RAdam.html and https://arxiv.org/abs/1908.03265

    Args:
        betas, eps, decoupled_weight_decay, capturable: as for `Adam`, but betas are floats.
        params, lr, weight_decay, foreach, maximize, differentiable: as for `SGD`.

    Raises:
        ValueError: an option is out of range.
    """

    rule = rules.radam
    settings = {"maximize": False, "foreach": None, "capturable": False, "differentiable": False,  # noqa: RUF012
                "decoupled_weight_decay": False}

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *,
                 foreach=None, maximize=False, capturable=False, differentiable=False):
        check_lr(lr)
        check("epsilon value", eps)
        check_betas(betas)
        check("weight_decay value", weight_decay)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "maximize": maximize, "foreach": foreach, "capturable": capturable,
                                  "decoupled_weight_decay": decoupled_weight_decay, "differentiable": differentiable})

    def _form(self, group):
        beta1, beta2 = group["betas"]
        decay = group["weight_decay"]
        return ((group["maximize"], used(decay), group["decoupled_weight_decay"]), ("step", "exp_avg", "exp_avg_sq"),
                (group["lr"], beta1, beta2, group["eps"], decay))

    def _start(self, entries, p, group):
        entries["step"] = scalar(0, p, group)
        entries["exp_avg"] = filled(p)
        entries["exp_avg_sq"] = filled(p)
