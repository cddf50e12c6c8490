"""Operators of elements: each rank computes with its own. Those that are linear do so with parts of sums as well."""

from torchlike.distributed.tensor._rules.call import Call, R, Strategy, shard
from torchlike.distributed.tensor.placement_types import Partial

# How an operator is linear: in its one operand, in both at once, in each of two, in the first of two.
LINEAR = {**dict.fromkeys(("neg", "clone", "detach", "_to_copy", "alias", "contiguous", "to", "positive", "lift_fresh",
                           "real", "imag", "view_as_real", "view_as_complex"), "one"),
          **dict.fromkeys(("add", "sub", "copy"), "both"), "mul": "each", "div": "first"}
_LINEAR_OPS = ("sum", "avg")


def pointwise(call: Call) -> list[Strategy]:
    """Each dimension of the result, which operands have or are broadcast to."""
    out = call.results[0] if call.results else call.operands[0]
    found = [call.alike(shard(d), tuple(shard(_place(operand, out, d)) for operand in call.operands))
             for d in range(len(out))]
    return found + [call.alike(Partial(op), ins) for op in _LINEAR_OPS for ins in _linear(call, Partial(op))]


def _place(operand, out, d) -> int | None:
    """The dimension of an operand that is dimension `d` of the result, where it is not broadcast."""
    place = d - (len(out) - len(operand))
    return place if place >= 0 and operand[place] == out[d] else None


def _linear(call, p) -> list[tuple]:
    kind, n = LINEAR.get(call.name), len(call.operands)
    if kind is None:
        return []
    if n == 1:
        return [] if kind == "both" else [(p,)]
    return {"one": [(p,)], "both": [(p, p)], "each": [(p, R), (R, p)], "first": [(p, R)]}[kind] if n == 2 else []


def filled(call: Call) -> list[Strategy]:
    """A tensor like another, or one that is written to without being read: no parts of sums."""
    return [call.alike(shard(d), shard(d)) for d in range(len(call.operands[0]))]


def made(call: Call) -> list[Strategy]:
    """A new tensor is divided as the one that it is made by, if it has its sizes."""
    return filled(call) if call.results[0] == call.operands[0] else []
