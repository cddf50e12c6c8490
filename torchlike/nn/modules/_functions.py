"""Custom autograd functions that modules use."""

from torchlike.autograd.function import Function


class BackwardHookFunction(Function):
    """The identity on its tensors: one graph node that all of a module's inputs (or outputs) share,
    so that a module's full backward hook has a single place to stand."""

    @staticmethod
    def forward(ctx, *args):
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx, *args):
        return args
