"""`grad_and_value` and `vjp` of arguments of layout COO, by the tape.

Such gradients depend on which elements are there, and the tape's are PyTorch's: of layout COO or dense, by operator. Inside
of other transforms these arguments are refused (`array_of`).
"""

from torchlike import _api
from torchlike._base.settings import sparse_coo
from torchlike._base.structure import flatten, unflatten
from torchlike._modes.transform import array_of
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike.autograd.engine import grad
from torchlike.autograd.grad_mode import enable_grad


def is_for_tape(tensors) -> bool:
    """Whether one of the arguments is of layout COO. UnsupportedError if so while a transform runs or with a history."""
    found = next((x for x in tensors if x._cell.layout is sparse_coo), None)
    if found is None:
        return False
    if state.thread.frames or any(x._edge is not None for x in tensors):
        array_of(found)  # refuses
    return True


class Taped:
    """One call of a function on the tape.

    Args:
        pure: the call, a `Pure`.

    Attributes:
        outs, aux: lists of the Tensors of the output and of aux.
    """

    def __init__(self, pure):
        self.inputs = [x.detach().requires_grad_() for x in pure.tensors]
        args = list(pure.args)
        for n, value in zip(pure.numbers, unflatten(pure.structure, self.inputs), strict=True):
            args[n] = value
        with enable_grad():
            output, aux = pure.parted(pure.func(*args, **pure.kwargs))
        pure.check(output)
        self._outs, pure.out_structure = flatten(output)
        aux, pure.aux_structure = pure.aux_tensors(aux)
        own = {id(x) for x in self.inputs}
        if any(id(leaf) not in own for x in (*self._outs, *aux) for leaf in _leaves(x)):
            array_of(next(x for x in self.inputs if x._cell.layout is sparse_coo))  # refuses: of a captured tensor
        self.outs, self.aux = [x.detach() for x in self._outs], [x.detach() for x in aux]

    def pulled(self, cotangents, retain_graph=True) -> list:
        """The gradients by the arguments."""
        pairs = [(x, g) for x, g in zip(self._outs, cotangents, strict=True) if x.requires_grad]
        if not pairs:
            return [_api.zeros_like(x) for x in self.inputs]
        outs, given = zip(*pairs, strict=True)
        found = grad(outs, self.inputs, given, retain_graph=retain_graph, allow_unused=True)
        return [_api.zeros_like(x).detach() if g is None else g for x, g in zip(self.inputs, found, strict=True)]


def _leaves(x: Tensor) -> list:
    """The leaves that a Tensor was computed from."""
    if x.grad_fn is None:
        return [x] if x.requires_grad else []
    found, seen, left = [], set(), [x.grad_fn]
    while left:
        node = left.pop()
        if node in seen:
            continue
        seen.add(node)
        left += [each for each, _ in node.next_functions if each is not None]
        if hasattr(node, "variable"):
            found.append(node.variable)
    return found
