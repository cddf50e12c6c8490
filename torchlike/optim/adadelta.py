"""`torch.optim.Adadelta`: https://pytorch.org/docs/stable/generated/torch.optim.Adadelta.html"""

from torchlike.optim import rules
from torchlike.optim.rule_optimizer import CAPTURABLE, RuleOptimizer, check, check_lr, filled, scalar, used


class Adadelta(RuleOptimizer):
    """Steps in proportion to the root of the mean square of the steps before them.
    https://pytorch.org/docs/stable/generated/torch.optim.Adadelta.html and https://arxiv.org/abs/1212.5701

    Args:
        rho: the decay of both means of squares, that of gradients and that of steps, in [0, 1].
        eps: added to both means before their roots are taken.
        params, lr, weight_decay, foreach, maximize, differentiable: as for `SGD`.
        capturable: as for `Adam`.

    Raises:
        ValueError: an option is out of range.
    """

    rule = rules.adadelta
    capturable_devices = [d for d in CAPTURABLE if d != "xla"]  # noqa: RUF012
    settings = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}  # noqa: RUF012

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False,
                 maximize=False, differentiable=False):
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check("epsilon value", eps)
        check("weight_decay value", weight_decay)
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
                                  "capturable": capturable, "foreach": foreach, "differentiable": differentiable})

    def _form(self, group):
        decay = group["weight_decay"]
        return ((group["maximize"], used(decay)), ("step", "square_avg", "acc_delta"),
                (group["lr"], group["rho"], group["eps"], decay))

    def _start(self, entries, p, group):
        entries["step"] = scalar(0, p, group)
        entries["square_avg"] = filled(p)
        entries["acc_delta"] = filled(p)
