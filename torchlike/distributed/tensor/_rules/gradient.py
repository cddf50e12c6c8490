"""The strategies of a gradient from those of its operator.

Where a result is divided its gradient is, too, and where it is a sum of parts each rank needs all of its gradient. A rank's
gradient of an operand that it has a part of is a part; that of one which it has whole, while results are divided, is a part
of a sum.
"""

from torchlike.distributed.tensor._rules.call import SUM, R
from torchlike.distributed.tensor.placement_types import Partial, Shard

_LINEAR = ("sum", "avg")


def whole(placement):
    """What a gradient, or what was saved, of a tensor that is placed so must be."""
    return R if isinstance(placement, Partial) else placement


def candidates(strategies, function) -> list[tuple]:
    """For each strategy of the operator that has one, that of the gradient.

    Args:
        strategies: those of the operator.
        function: of the gradient's kernel: `plan`, `targets` and `defined`.

    Returns:
        [(of its results, of its operands, those of the operator's operands, whether a mean is divided again)].
    """
    plan, found = function.plan, []
    for outs, ins in strategies:
        if any(isinstance(p, Partial) and (p.reduce_op not in _LINEAR or type(p) is not Partial) for p in (*outs, *ins)):
            continue
        is_divided = any(isinstance(p, Shard) for p in ins)
        grads = tuple(whole(ins[i]) if ins[i] != R or not is_divided else SUM for i in function.targets)
        given = (*(whole(outs[i]) for i in function.defined), *(whole(ins[i]) for i in plan.save_ins),
                 *(whole(outs[i]) for i in plan.save_outs))
        is_mean = any(p == Partial("avg") for p in outs) and is_divided
        found.append((grads, given, tuple(map(whole, ins)), is_mean))
    return found
