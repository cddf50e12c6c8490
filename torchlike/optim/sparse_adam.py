"""`torch.optim.SparseAdam`: https://pytorch.org/docs/stable/generated/torch.optim.SparseAdam.html"""

import math

from torchlike._record.tensor import Tensor
from torchlike.optim.group_step import step_of
from torchlike.optim.optimizer import Optimizer


class SparseAdam(Optimizer):
    """Adam of the elements that a sparse gradient has; the others, and their averages, stay as they are.
    https://pytorch.org/docs/stable/generated/torch.optim.SparseAdam.html

    A step looks at the indices of the gradients, to sum up those that occur more than once.

    Args:
        params, lr, betas, eps, maximize: as for `Adam`; parameters are strided and real.

    Raises:
        ValueError: an option is out of range, or a parameter is sparse or complex.
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize: bool = False):
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for what, value in (("learning rate", lr), ("epsilon value", eps)):
            if not value > 0.0:
                raise ValueError(f"Invalid {what}: {value}")
        for i, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        places = [([i, k], p) for i, group in enumerate(self.param_groups) for k, p in enumerate(group["params"])]
        sparse = [place for place, p in places if p.is_sparse]
        if sparse:
            raise ValueError(f"Sparse params at indices {sparse}: SparseAdam requires dense parameter tensors")
        complex_ones = [place for place, p in places if p.is_complex()]
        if complex_ones:
            raise ValueError(f"Complex params at indices {complex_ones}: SparseAdam does not support complex parameters")

    def step(self, closure=None):
        """One update of all parameters that have a gradient.
        https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.step.html

        Args:
            closure: computes the loss and its gradients anew and returns the loss; None means that the gradients are there.

        Returns:
            What the closure returned; None without one.

        Raises:
            RuntimeError: a gradient is not sparse.
        """
        return step_of(closure, False, self._update_groups)

    def _update_groups(self, loss):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                if not p.grad.is_sparse:
                    raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
                entries = self.state[p]
                if not entries:
                    zeros = p.detach() * 0
                    entries.update(step=0, exp_avg=zeros, exp_avg_sq=zeros.clone())
                entries["step"] += 1
                _update(p, p.grad, entries, group)


def _update(p, grad, entries, group) -> None:
    """Moves the elements of `p` that the gradient has, and their averages."""
    grad = (-grad if group["maximize"] else grad).coalesce()
    values = grad._values()
    if not values.numel():
        return
    changes, averages = [], []
    for name, beta, now in zip(("exp_avg", "exp_avg_sq"), group["betas"], (values, values.pow(2)), strict=True):
        old = entries[name].sparse_mask(grad)._values()
        change = (now - old) * (1 - beta)
        changes.append((entries[name], change))
        averages.append(old + change)
    for average, change in changes:
        average.add_(_like(grad, change))
    rates = [1 - beta ** entries["step"] for beta in group["betas"]]
    size = float(group["lr"]) * math.sqrt(rates[1]) / rates[0]
    p.add_(_like(grad, averages[0] / (averages[1].sqrt() + group["eps"]) * -size))


def _like(grad, values):
    """A sparse tensor with the indices of `grad`."""
    made = grad.clone()
    made._values().copy_(values)
    return made
