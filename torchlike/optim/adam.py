"""`torch.optim.Adam`: https://pytorch.org/docs/stable/generated/torch.optim.Adam.html"""

from torchlike._record.tensor import Tensor
from torchlike.optim import rules
from torchlike.optim.rule_optimizer import RuleOptimizer, check, check_betas, filled, scalar, used
from torchlike.optim.sgd import check_fused

_STATES = ("step", "exp_avg", "exp_avg_sq")
_AMSGRAD = (*_STATES, "max_exp_avg_sq")


class Adam(RuleOptimizer):
    """Adam: p - lr * m / (sqrt(v) + eps), with the means m of gradients and v of their squares, corrected for their start at
    0.
    https://pytorch.org/docs/stable/generated/torch.optim.Adam.html and https://arxiv.org/abs/1412.6980

    Args:
        lr: the learning rate: a number, or a Tensor of one element, which is read at each step; with `foreach` a Tensor
            needs `capturable`.
        betas: the decay of m and that of v, in [0, 1): both floats, or both Tensors of one element.
        eps: added to the root.
        amsgrad: whether the largest v so far stands in the place of v (https://openreview.net/forum?id=ryQu7f-RZ).
        capturable: accepted as `foreach` is; the step asserts that the parameters are on an accelerator.
        decoupled_weight_decay: whether `weight_decay` shrinks the parameter, as in `AdamW`, and is not added to the
            gradient.
        params, weight_decay, foreach, maximize, differentiable, fused: as for `SGD`.

    Raises:
        ValueError: an option is out of range, `betas` are of two kinds, or a Tensor has several elements or stands with
            `foreach` without `capturable`.
        RuntimeError: `fused` stands with `differentiable` or `foreach`.
    """

    rule = rules.adam
    instead_of_sparse = ", please consider SparseAdam instead"
    settings = {"amsgrad": False, "maximize": False, "foreach": None, "capturable": False,  # noqa: RUF012
                "differentiable": False, "decoupled_weight_decay": False, "fused": None}

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
                 maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False):
        _check_tensor("lr", lr, foreach and not capturable, "Tensor lr must be 1-element")
        check("learning rate", lr)
        check("epsilon value", eps)
        check_betas(betas)
        check("weight_decay value", weight_decay)
        if {isinstance(beta, Tensor) for beta in betas} == {True, False} or \
                not all(isinstance(beta, float | Tensor) for beta in betas):
            raise ValueError("betas must be either both floats or both Tensors")
        for i, beta in enumerate(betas):
            _check_tensor(f"betas[{i}]", beta, foreach and not capturable, f"Tensor betas[{i}] must be 1-element")
        betas = tuple(b.squeeze() if isinstance(b, Tensor) and b.dim() else b for b in betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
                                  "maximize": maximize, "foreach": foreach, "capturable": capturable,
                                  "differentiable": differentiable, "fused": fused,
                                  "decoupled_weight_decay": decoupled_weight_decay})
        check_fused(fused, foreach, differentiable)

    def _form(self, group):
        beta1, beta2 = group["betas"]
        decay, amsgrad = group["weight_decay"], group["amsgrad"]
        flags = (group["maximize"], used(decay), group["decoupled_weight_decay"], amsgrad)
        return flags, _AMSGRAD if amsgrad else _STATES, (group["lr"], beta1, beta2, group["eps"], decay)

    def _start(self, entries, p, group):
        entries["step"] = scalar(0, p, group)
        entries["exp_avg"] = filled(p)
        entries["exp_avg_sq"] = filled(p)
        if group["amsgrad"]:
            entries["max_exp_avg_sq"] = filled(p)

    def _check(self, group, params, names):
        if group["foreach"] and isinstance(group["lr"], Tensor) and not group["capturable"]:
            raise RuntimeError("lr as a Tensor is not supported for capturable=False and foreach=True")
        return super()._check(group, params, names)


def _check_tensor(name, value, refused, text) -> None:
    """ValueError for a Tensor that PyTorch would refuse."""
    if isinstance(value, Tensor):
        if refused:
            raise ValueError(f"{name} as a Tensor is not supported for capturable=False and foreach=True")
        if value.numel() != 1:
            raise ValueError(text)
