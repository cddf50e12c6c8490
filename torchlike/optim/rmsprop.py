"""`torch.optim.RMSprop`: https://pytorch.org/docs/stable/generated/torch.optim.RMSprop.html"""

from torchlike.optim import rules
from torchlike.optim.rule_optimizer import RuleOptimizer, check, check_lr, filled, scalar, used


class RMSprop(RuleOptimizer):
    """Gradients over the root of their mean square.
    https://pytorch.org/docs/stable/generated/torch.optim.RMSprop.html

    Args:
        alpha: the decay of the mean.
        eps: added to the root.
        momentum: a buffer of the quotients that fades by this factor; 0 means none.
        centered: whether the square of the mean gradient is taken off first, which leaves the variance.
        params, lr, weight_decay, foreach, maximize, differentiable: as for `SGD`.
        capturable: as for `Adam`.

    Raises:
        ValueError: an option is negative.
    """

    rule = rules.rmsprop
    settings = {"momentum": 0, "centered": False, "foreach": None, "maximize": False,  # noqa: RUF012
                "differentiable": False, "capturable": False}

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
                 capturable=False, foreach=None, maximize=False, differentiable=False):
        check_lr(lr)
        check("epsilon value", eps)
        check("momentum value", momentum)
        check("weight_decay value", weight_decay)
        check("alpha value", alpha)
        super().__init__(params, {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
                                  "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach,
                                  "maximize": maximize, "differentiable": differentiable})

    def _form(self, group):
        decay, momentum, centered = group["weight_decay"], group["momentum"], group["centered"]
        names = ("step", "square_avg", *(("momentum_buffer",) if momentum > 0 else ()),
                 *(("grad_avg",) if centered else ()))
        return ((group["maximize"], used(decay), momentum > 0, centered), names,
                (group["lr"], group["alpha"], group["eps"], decay, momentum))

    def _start(self, entries, p, group):
        entries["step"] = scalar(0, p, group)
        entries["square_avg"] = filled(p)
        if group["momentum"] > 0:
            entries["momentum_buffer"] = filled(p)
        if group["centered"]:
            entries["grad_avg"] = filled(p)
