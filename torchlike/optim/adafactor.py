"""`torch.optim.Adafactor`: https://pytorch.org/docs/stable/generated/torch.optim.Adafactor.html"""

import functools

from torchlike._api.type_info import finfo
from torchlike.optim import rules
from torchlike.optim.rule_optimizer import RuleOptimizer, check_one, filled, scalar, used


class Adafactor(RuleOptimizer):
    """Steps scaled by second moments, of which a matrix keeps only the means over rows and columns.
    https://pytorch.org/docs/stable/generated/torch.optim.Adafactor.html and https://arxiv.org/abs/1804.04235

    Args:
        lr: the largest learning rate. That of step t is at most t ** -0.5, times the root mean square of the parameter.
        beta2_decay: the moments of step t are averaged with the weight t ** beta2_decay; not positive.
        eps: (the least root of a second moment, the least root mean square of a parameter). None for the first means the
            resolution of the dtype of the group's first parameter that has a gradient.
        d: an update whose root mean square is above this is scaled down; at least 1.
        weight_decay: the parameter is first multiplied by 1 - lr * weight_decay.
        params, foreach, maximize: as for `SGD`.

    Raises:
        ValueError: an option is out of range. The step raises RuntimeError for complex parameters.
    """

    rule = rules.adafactor
    is_of_elements = False
    settings = {"foreach": None}  # noqa: RUF012

    def __init__(self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, *, foreach=None,
                 maximize=False):
        check_one(lr)
        _check("Learning rate", lr)
        if not beta2_decay <= 0.0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None:
            _check("epsilon1", eps[0])
        _check("epsilon2", eps[1])
        _check("Clipping threshold d", d, 1)
        _check("weight_decay", weight_decay)
        super().__init__(params, {"lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay,
                                  "foreach": foreach, "maximize": maximize})

    def _update(self, place, group, params, **changes):
        with_grad = [p for p in params if p._grad is not None]
        if not with_grad:
            return
        eps = group["eps"][0]
        if eps is None:
            eps = _resolution(with_grad[0].dtype)  # for the whole group, as PyTorch does
        for factored in (True, False):
            alike = [p for p in with_grad if (p.dim() > 1) is factored]
            super()._update((place, factored), group, alike, factored=factored, eps=eps)

    def _form(self, group, factored, eps):
        decay = group["weight_decay"]
        return ((group["maximize"], used(decay)), ("step", "row_var", "col_var") if factored else ("step", "variance"),
                (group["lr"], group["beta2_decay"], eps, group["eps"][1], group["d"], decay))

    def _start(self, entries, p, group):
        if p.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        entries["step"] = scalar(0, p, group)
        if p.dim() > 1:
            entries["row_var"] = p._grad.new_zeros((*p.shape[:-1], 1))
            entries["col_var"] = p._grad.new_zeros((*p.shape[:-2], 1, p.shape[-1]))
        else:
            entries["variance"] = filled(p)


def _check(what, value, least=0) -> None:
    if not value >= least:
        raise ValueError(f"{what} should be >= {least} but is: {value}")


@functools.cache
def _resolution(dtype) -> float:
    """One and the same float for a dtype: plans compare values by identity."""
    return finfo(dtype).eps
