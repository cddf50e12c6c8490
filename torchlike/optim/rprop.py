"""`torch.optim.Rprop`: https://pytorch.org/docs/stable/generated/torch.optim.Rprop.html"""

from torchlike.optim import rules
from torchlike.optim.rule_optimizer import RuleOptimizer, check_lr, filled, scalar


class Rprop(RuleOptimizer):
    """A step size for each number, which grows while its gradient keeps the sign; only signs of gradients count.
    https://pytorch.org/docs/stable/generated/torch.optim.Rprop.html

    Args:
        lr: the first step size.
        etas: the factors of a step size where the sign changes, and where it stays: one in (0, 1), one above 1.
        step_sizes: the least and the largest.
        params, foreach, maximize, differentiable: as for `SGD`.
        capturable: as for `Adam`.

    Raises:
        ValueError: `lr` or `etas` are out of range.
    """

    rule = rules.rprop
    settings = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}  # noqa: RUF012

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None,
                 maximize=False, differentiable=False):
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach,
                                  "maximize": maximize, "differentiable": differentiable, "capturable": capturable})

    def _form(self, group):
        return (group["maximize"],), ("step", "prev", "step_size"), (*group["etas"], *group["step_sizes"])

    def _start(self, entries, p, group):
        entries["step"] = scalar(0, p, group)
        entries["prev"] = filled(p)
        entries["step_size"] = filled(p, float(group["lr"]))
