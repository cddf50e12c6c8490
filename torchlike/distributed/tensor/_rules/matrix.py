"""Products of matrices and their like: what is summed over is divided into sums of parts."""

from torchlike.distributed.tensor._rules.call import SUM, Call, R, Strategy, shard
from torchlike.distributed.tensor.placement_types import Shard

PRODUCTS = {"mm": "ik,kj->ij", "bmm": "bik,bkj->bij", "mv": "ik,k->i", "dot": "k,k->", "vdot": "k,k->", "outer": "i,j->ij",
            "ger": "i,j->ij", "addmm": "ik,kj->ij", "baddbmm": "bik,bkj->bij", "addmv": "ik,k->i", "addr": "i,j->ij"}


def product(call: Call) -> list[Strategy]:
    """Each letter of the equation; a first operand that is added is broadcast to the result."""
    equation, out = PRODUCTS[call.name].split("->")
    factors = equation.split(",")
    added = call.operands[0] if len(call.operands) > 2 else None
    found = []
    for letter in dict.fromkeys("".join(factors)):
        ins = [shard(word.index(letter) if letter in word else None) for word in factors]
        result = Shard(out.index(letter)) if letter in out else SUM
        if added is not None:
            ins.insert(0, _of_added(added, call.results[0], result))
        found.append(call.alike(result, tuple(ins)))
    if added is None:
        found += [call.alike(SUM, (SUM, R)), call.alike(SUM, (R, SUM))]
    return found


def _of_added(added, out, result):
    if not isinstance(result, Shard):
        return result
    place = result.dim - (len(out) - len(added))
    return shard(place if place >= 0 and added[place] == out[result.dim] else None)


def convolution(call: Call) -> list[Strategy]:
    """The batch, the channels that come out, or those that come in, which are summed over."""
    is_batched = len(call.operands[0]) == len(call.operands[1])
    channels = int(is_batched)
    has_bias = len(call.operands) > 2
    found = [call.alike(Shard(0), (Shard(0), R, R)[:2 + has_bias])] if is_batched else []
    if call.get("groups") == 1:
        out, in_ = (1, 0) if call.get("transposed") else (0, 1)
        found.append(call.alike(Shard(channels), (R, Shard(out), Shard(0))[:2 + has_bias]))
        found.append(call.alike(SUM, (Shard(channels), Shard(in_), SUM)[:2 + has_bias]))
    return found


def attention(call: Call) -> list[Strategy]:
    """The batch and the heads of query, key and value; a mask may lack them."""
    found = []
    for d in (0, 1):
        size = call.operands[0][d]
        ins = [Shard(d) if i < 3 or (len(x) == 4 and x[d] == size) else R for i, x in enumerate(call.operands)]
        if not any(len(x) != 4 and i >= 3 and len(x) > 2 for i, x in enumerate(call.operands)):
            found.append(call.alike(Shard(d), tuple(ins)))
    return found
