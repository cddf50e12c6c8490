"""Why no gradient reached a tensor, from the flow of what was recorded lately."""

from torchlike._base import dtypes as dt
from torchlike._record import explain_log

WRITES = "put_"  # kernels that write a view back into its base
DEPTH = 64


class Reason:
    """``text`` and the lines it is about, as (title, site)."""

    def __init__(self, text, *lines):
        self.text, self.lines = text, [(title, site) for title, site in lines if site is not None]

    def __eq__(self, other):
        return (self.text, self.lines) == (other.text, other.lines)


def line(operation, what="") -> tuple:
    """(title, site) of an operation. Without a Node its line is known from the first time only."""
    return f"{what} here, or where the same was first recorded".strip() if not operation.flows else f"{what} here".strip(), \
        operation.site


class Reach:
    """How far gradients can come back to a tensor: the operations that ``used`` it, directly or not; ``cuts``,
    the Reasons where that ended; ``backwards``, the passes that came to it; ``values`` with its history.
    """

    def __init__(self):
        self.used, self.cuts, self.backwards, self.values = [], [], [], set()


def reach(flow, start) -> Reach:
    """What became of the values `start`, which require grad."""
    found, consumed = Reach(), set()
    found.values = set(start)
    for operation in flow.operations:
        hits = [i for i, value in enumerate(operation.reads) if value in found.values]
        if not hits or _behind_the_scenes(operation, hits):
            continue
        consumed.update(operation.reads[i] for i in hits)
        found.used.append(operation)
        cut = _cut(flow, operation, hits)
        if cut is None:
            found.values.update(operation.makes)
        elif cut not in found.cuts:
            found.cuts.append(cut)
    found.backwards = [b for b in flow.backwards if b.values & found.values]
    for value, site in flow.read.items():
        if value in found.values and not any(value in b.values for b in flow.backwards):
            found.cuts.append(Reason("its value was read as a Python number or array, which has no history",
                                     ("read here", site)))
    return found


def _behind_the_scenes(operation, hits) -> bool:
    """What backward passes and optimizers record: no use by the program unless it has history."""
    if operation.kind == explain_log.BACKWARD or (operation.kind == "kernel" and not operation.name.startswith(WRITES)):
        return not (operation.flows and any(operation.carries[i] for i in hits))
    return False


def _cut(flow, operation, hits):
    """Why the results of an operation have no history; None if they have."""
    if operation.kind == explain_log.FUNCTION:
        _, (name, recorded), site = operation.stretch
        return None if recorded else Reason(f"{name}.apply was called where no gradient is recorded", ("here", site))
    if operation.off is not None:
        return Reason(f"{operation.name}() ran under no_grad or inference mode", ("switched off here", operation.off),
                      line(operation))
    if operation.name.startswith(WRITES):
        return None
    if any(operation.carries[i] for i in hits):
        return None if operation.flows else Reason(f"{operation.name}() has no derivative", line(operation))
    for i in hits:
        site = flow.detached.get(operation.reads[i])
        if site is not None:
            return Reason(f"{operation.name}() was given what detach() returned", ("detached here", site),
                          line(operation, "used"))
    return Reason(f"{operation.name}() was given a tensor that did not require grad: before requires_grad was set, "
                  "or through .data", line(operation))


def origins(flow, x) -> list:
    """Why a tensor has no history: the Reasons found on the way back from its value."""
    values = flow.values_of(x)
    found, seen = [], set()
    stack = [(values[-1], 0)] if values else []
    while stack:
        value, depth = stack.pop()
        if value in seen or depth > DEPTH:
            continue
        seen.add(value)
        reason, further = _origin(flow, value)
        if reason is not None and reason not in found:
            found.append(reason)
        stack.extend((v, depth + 1) for v in further)
    return found


def _origin(flow, value):
    """(Reason or None, the values to look at next)."""
    operation = flow.made_by.get(value)
    if value in flow.detached:
        return Reason("detach() gives a tensor without history", ("here", flow.detached[value]),
                      *([line(operation, "of the value made")] if operation is not None else ())), ()
    if operation is None:
        return None, ()
    if operation.off is not None:
        return Reason(f"{operation.name}() ran under no_grad or inference mode", ("switched off here", operation.off),
                      line(operation)), ()
    if operation.flows:
        return Reason(f"the result of {operation.name}() had history, but not this tensor: it was taken by .data or "
                      "detach_()", line(operation, "made")), ()
    if any(operation.carries):
        return Reason(f"{operation.name}() has no derivative", line(operation)), ()
    return None, operation.reads


def of_dtype(x):
    """The Reason that lies in the dtype; None if the dtype can have gradients."""
    dtype = x._cell.aval.dtype
    if dtype.category >= dt.FLOAT:
        return None
    return Reason(f"{dtype!r} tensors have no gradients: only floating point and complex ones can require grad")
