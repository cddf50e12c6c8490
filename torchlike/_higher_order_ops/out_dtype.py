"""An operator whose result has another dtype than its operands give."""

from torchlike import ops
from torchlike._base.dtypes import dtype
from torchlike._ops import promotion
from torchlike._record.tensor import Tensor
from torchlike.autograd.function import Function
from torchlike.autograd.grad_mode import is_grad_enabled, no_grad
from torchlike.ops import OpOverload
from torchlike.utils import _pytree as pytree

__all__ = ["out_dtype"]

_ALLOWED = [ops.aten.linear.default, ops.aten.mm.default, ops.aten.conv2d.default, ops.aten.convolution.default,
            ops.aten.mul.Tensor, ops.aten.mul.Scalar, ops.aten.div.Tensor, ops.aten.div.Scalar]


def out_dtype(op: OpOverload, output_dtype: dtype, *args) -> Tensor:
    """What an operator gives, computed in the dtype that its operands and the result promote to.

    Follows https://github.com/pytorch/pytorch/blob/main/torch/_higher_order_ops/out_dtype.py; here it is a function.

    Args:
        op: the overload of linear, mm, conv2d, convolution, mul or div.
        output_dtype: that of the result.
        *args: what `op` takes, of any dtypes.

    Returns:
        A Tensor of that dtype, as `op` gives it. It has no gradient: where one is asked for, its backward pass raises.

    Raises:
        ValueError: another operator.
        RuntimeError: in a backward pass.
    """
    _check(op)
    leaves = pytree.tree_leaves(args)
    wide = promotion.result_type([*_operands(leaves), promotion.Operand(output_dtype, 2)])
    with no_grad():
        cast = pytree.tree_map(lambda x: x.to(wide) if isinstance(x, Tensor) else x, args)
        result = op(*cast).to(output_dtype)
    tensors = [x for x in leaves if isinstance(x, Tensor)]
    has_gradient = output_dtype.is_floating_point or output_dtype.is_complex
    if has_gradient and is_grad_enabled() and any(x.requires_grad for x in tensors):
        return Error.apply(result, *tensors)
    return result


class Error(Function):
    """A result without a gradient, which says so when it is asked for one."""

    @staticmethod
    def forward(ctx, result, *operands):
        """The result."""
        return result.detach()

    @staticmethod
    def backward(ctx, *grads):
        """RuntimeError."""
        raise RuntimeError("Autograd not implemented for out_dtype")


def _operands(leaves):
    for x in leaves:
        if isinstance(x, Tensor):
            yield promotion.Operand(x.dtype, 2 if x.ndim else 1)
        elif isinstance(x, bool | int | float | complex):
            yield promotion.Operand(promotion.of_number(x), 0)


def _check(op) -> None:
    if not isinstance(op, OpOverload):
        raise ValueError("out_dtype's first argument must be an OpOverload")
    if op in _ALLOWED:
        return
    if op._schema.is_mutable:
        raise ValueError("out_dtype's first argument needs to be a functional operator")
    returned = op._schema.returns
    if len(returned) != 1 or returned[0].type != "Tensor":
        kinds = ", ".join(r.type for r in returned)
        raise ValueError(f"out_dtype's can only apply to ops that return a single tensorInstead got [{kinds}]")
    raise ValueError(f"out_dtype only allows the following operators: {_ALLOWED}.")
