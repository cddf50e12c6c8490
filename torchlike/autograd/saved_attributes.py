"""What a Node keeps, as its attributes: ``grad_fn._saved_self``, ``grad_fn._raw_saved_self`` and the like.
https://pytorch.org/docs/stable/notes/autograd.html#saved-tensors
"""

from torchlike._compile.row_function import unwrap
from torchlike._record.saved import Packed
from torchlike.autograd.saved_variable import HOOKED, NOTHING

_REGISTERED_LATE = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are freed "
    "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a "
    "second time or if you need to access saved variables after calling backward.")


def saved_attribute(node, name: str):
    """What an attribute of a Node is that Python has not found: a saved tensor, or an argument of the operation.
    https://pytorch.org/docs/stable/notes/autograd.html#saved-tensors

    Args:
        node: the Node.
        name: that of the attribute.

    Returns:
        A Tensor, a Python value or a `SavedTensor`; a tuple of them for a list of tensors.

    Raises:
        AttributeError: the Node saves nothing of this name.
    """
    start, _, kept = name.partition("saved_")
    if kept and start in ("_", "_raw_") and _plan_of(node) is not None:
        found = _saved_values(node, kept) if start == "_" else _raw_saved(node, kept)
        if found:
            return found[0] if len(found) == 1 else tuple(found)
    raise AttributeError(f"'{type(node).__name__}' object has no attribute '{name}'")


def _plan_of(node):
    """The node's plan, without asking for a missing attribute again."""
    try:
        return object.__getattribute__(node, "plan")
    except AttributeError:
        return None


def _words(row) -> set:
    """What the gradients of a row may save."""
    return {word for needs in row.needs.values() for word in needs}


def _result_names(row) -> list:
    return [n or ("result" if len(row.schema.returns) == 1 else f"result{i}") for i, n in enumerate(row.schema.returns)]


def _saved_places(plan) -> list:
    """Whose value each saved tensor is, by name, in the order of ``node.saved``."""
    results = _result_names(plan.kernel.row)
    return [*(plan.owner[i] for i in plan.save_ins), *(results[i] for i in plan.save_outs)]


def saved_tensors(node) -> dict:
    """What a Node saved, for reading.

    Args:
        node: the Node.

    Returns:
        {PyTorch's name, with a number behind where a list has it: Tensor}; nothing of what the user's hooks have packed, and
        nothing where the Node has been freed, or what it saved was written to.
    """
    plan = _plan_of(node)
    if plan is None or plan.kernel.row is None or not node.saved or any(x.__class__ is Packed for x in node.saved[::2]):
        return {}
    found: dict = {}
    try:
        tensors = node.unpack()
    except RuntimeError:
        return {}
    for name, x in zip(_saved_places(plan), tensors, strict=True):
        key, count = name, 1
        while key in found:
            key, count = f"{name}{count}", count + 1
        found[key] = x
    return found


def _given_numbers(plan) -> list:
    """The names of the Python numbers in ``node.numbers``."""
    row = plan.kernel.row
    return [name for name, kind in zip((*row.operands, *row.numbers), plan.kernel.spec[0], strict=True)
            if kind.__class__ is type]


def _saved_number(node, name):
    """A Python number that the operation was given, or its default."""
    given = _given_numbers(node.plan)
    if name in given:
        return node.numbers[given.index(name)]
    default = next(a.default for a in node.plan.kernel.row.schema.args if a.name == name)
    return None if default is ... else default


def _saved_values(node, name) -> list:
    plan = node.plan
    row = plan.kernel.row
    if row is None:
        return []
    places = _saved_places(plan)
    if name in places:
        tensors = node.unpack()
        return [x for x, place in zip(tensors, places, strict=True) if place == name]
    if name in row.numbers or name in _given_numbers(plan):
        return [_saved_number(node, name)]
    if name in _words(row) and name in (*row.operands, *_result_names(row)):
        return [None]
    params = dict(zip(row.params, unwrap(row, plan.kernel.spec[1]), strict=True))
    if name not in params:
        return []
    kind = next(a.type for a in row.schema.args if a.name == name)
    return [(params[name],) if kind.startswith("int[") and isinstance(params[name], int) else params[name]]


def _raw_saved(node, name) -> list:
    plan = node.plan
    row = plan.kernel.row
    if row is None or name not in _words(row) or name not in (*row.operands, *_result_names(row)):
        return []
    places = [i for i, place in enumerate(_saved_places(plan)) if place == name]
    return [SavedTensor(node, place) for place in places or [None]]


class SavedTensor:
    """``grad_fn._raw_saved_self`` and the like: one saved tensor, which may get saved-tensor hooks of its own.
    https://pytorch.org/docs/stable/notes/autograd.html#hooks-for-saved-tensors

    Args:
        node: the Node.
        place: which of its saved tensors; None for one that it did not need.
    """

    def __init__(self, node, place):
        self._node, self._place = node, place

    def register_hooks(self, pack_hook, unpack_hook) -> None:
        """Keeps what a function makes of the tensor in its place.

        Args:
            pack_hook, unpack_hook: as for `saved_tensors_hooks`.

        Raises:
            RuntimeError: it was freed, has hooks already, or is None.
        """
        node, place = self._node, self._place
        if node.saved is None:
            raise RuntimeError(_REGISTERED_LATE)
        if place is None:
            raise RuntimeError(NOTHING)
        kept = list(node.saved)
        if isinstance(kept[2 * place], Packed):
            raise RuntimeError(HOOKED)
        tensor = node.unpack()[place]
        edge = tensor._edge if place < len(node.plan.save_ins) else None  # a result's edge holds the Node
        kept[2 * place:2 * place + 2] = Packed(tensor, (pack_hook, unpack_hook), edge), 0
        node.saved = kept
