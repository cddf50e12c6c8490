"""`torch.optim.AdamW`: https://pytorch.org/docs/stable/generated/torch.optim.AdamW.html"""

from torchlike.optim.adam import Adam


class AdamW(Adam):
    """Adam whose weight decay multiplies the parameter by 1 - lr * weight_decay and is no part of the gradient.
    https://pytorch.org/docs/stable/generated/torch.optim.AdamW.html and https://arxiv.org/abs/1711.05101

    Args:
        weight_decay: see above; 0.01 unless given.
        params, lr, betas, eps, amsgrad, maximize, foreach, capturable, differentiable, fused: as for `Adam`.

    Raises:
        As for `Adam`.
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *,
                 maximize=False, foreach=None, capturable=False, differentiable=False, fused=None):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
                         capturable=capturable, differentiable=differentiable, fused=fused,
                         decoupled_weight_decay=True)

    def __setstate__(self, saved):
        super().__setstate__(saved)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
