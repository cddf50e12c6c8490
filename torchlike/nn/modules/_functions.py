"""Custom autograd functions that modules use."""

from torchlike.autograd.function import Function


class BackwardHookFunction(Function):
    """The identity: one graph node that all inputs (or outputs) of a module share, so that its full backward hooks can be
    registered in a single place.
    https://pytorch.org/docs/stable/generated/torch.nn.BackwardHookFunction.html
    """

    @staticmethod
    def forward(ctx, *args):
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx, *args):
        return args
