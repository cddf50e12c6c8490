"""`torch.optim.Muon`: https://pytorch.org/docs/stable/generated/torch.optim.Muon.html"""

from torchlike.optim import rules
from torchlike.optim.rule_optimizer import RuleOptimizer, check_one, filled

_ADJUST = (None, "original", "match_rms_adamw")


class Muon(RuleOptimizer):
    """Momentum made orthogonal, for the matrices of hidden layers.
    https://pytorch.org/docs/stable/generated/torch.optim.Muon.html and https://kellerjordan.github.io/posts/muon/

    The orthogonal matrix is computed in bfloat16, as PyTorch does.

    Args:
        params: as for `Optimizer`; each has two dimensions.
        weight_decay: the parameter is first multiplied by 1 - lr * weight_decay.
        momentum: the decay of the mean gradient.
        nesterov: whether the gradient is mixed into the mean once more.
        ns_coefficients: three numbers, of the polynomial that is iterated.
        eps: the least norm by which the momentum is divided.
        ns_steps: how many iterations, less than 100.
        adjust_lr_fn: how the rate of an (A, B) matrix follows from `lr`: times sqrt(max(1, A / B)) for None and "original",
            times 0.2 * sqrt(max(A, B)) for "match_rms_adamw".
        lr: as for `SGD`.

    Raises:
        ValueError: an option is out of range, or a parameter is no matrix. A step raises RuntimeError for complex ones.
    """

    rule = rules.muon
    is_of_elements = False

    def __init__(self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True,
                 ns_coefficients=(3.4445, -4.775, 2.0315), eps=1e-7, ns_steps=5, adjust_lr_fn=None):
        check_one(lr)
        for what, value in (("Learning rate", lr), ("momentum", momentum), ("weight decay", weight_decay)):
            if not value >= 0.0:
                raise ValueError(f"{what} should be >= 0 but is: {value}")
        if adjust_lr_fn not in _ADJUST:
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
                                  "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps,
                                  "adjust_lr_fn": adjust_lr_fn})
        for group in self.param_groups:
            for p in group["params"]:
                if p.dim() != 2:
                    raise ValueError("Muon only supports 2D parameters whereas we found a parameter with size: "
                                     f"{p.size()}")

    def _form(self, group):
        return ((group["nesterov"], group["ns_steps"], group["adjust_lr_fn"]), ("momentum_buffer",),
                (group["lr"], group["weight_decay"], group["momentum"], *group["ns_coefficients"], group["eps"]))

    def _start(self, entries, p, group):
        if p.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        if p.dim() != 2:  # of a group that was added later
            raise ValueError("Param gradient must be a 2D matrix")
        entries["momentum_buffer"] = filled(p)

    def _check(self, group, params, names):
        if group["ns_steps"] >= 100:
            raise ValueError("Number of steps must be less than 100 for computational efficiency")
        if len(group["ns_coefficients"]) != 3:
            raise ValueError("Coefficients must be a tuple of exactly 3 values")
        return super()._check(group, params, names)
