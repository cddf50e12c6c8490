"""`torch.optim.NAdam`: https://pytorch.org/docs/stable/generated/torch.optim.NAdam.html"""

from torchlike.optim import rules
from torchlike.optim.rule_optimizer import RuleOptimizer, check, check_betas, check_lr, filled, scalar, used


class NAdam(RuleOptimizer):
    """Adam with Nesterov momentum, after Dozat's schedule.
    https://pytorch.org/docs/stable/generated/torch.optim.NAdam.html and https://openreview.net/forum?id=OM0jvwB8jIp57ZJjtNEZ

    Args:
        betas: the decay of the mean gradient and that of the mean square, in [0, 1).
        eps: added to the root.
        momentum_decay: the momentum of step t is beta1 * (1 - 0.5 * 0.96 ** (t * momentum_decay)).
        decoupled_weight_decay, capturable: as for `Adam`.
        params, lr, weight_decay, foreach, maximize, differentiable: as for `SGD`.

    Raises:
        ValueError: an option is out of range.
    """

    rule = rules.nadam
    capturable_names = "params, mu_products and state_steps"
    settings = {"maximize": False, "foreach": None, "capturable": False, "differentiable": False,  # noqa: RUF012
                "decoupled_weight_decay": False}

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
                 decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiable=False):
        check_lr(lr)
        check("epsilon value", eps)
        check_betas(betas)
        check("weight_decay value", weight_decay)
        check("momentum_decay value", momentum_decay)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay,
                                  "maximize": maximize, "foreach": foreach, "capturable": capturable,
                                  "differentiable": differentiable})

    def _form(self, group):
        beta1, beta2 = group["betas"]
        decay = group["weight_decay"]
        return ((group["maximize"], used(decay), group["decoupled_weight_decay"]),
                ("step", "mu_product", "exp_avg", "exp_avg_sq"),
                (group["lr"], beta1, beta2, group["eps"], decay, group["momentum_decay"]))

    def _start(self, entries, p, group):
        entries["step"] = scalar(0, p, group)
        entries["mu_product"] = scalar(1, p, group)
        entries["exp_avg"] = filled(p)
        entries["exp_avg_sq"] = filled(p)
