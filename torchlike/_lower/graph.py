"""From the Nodes of a graph to steps, each a pure function of arrays."""

from torchlike._base.errors import UnsupportedError
from torchlike._compile.avals import NUMBER_DTYPES
from torchlike._compile.backends.registry import backend_of
from torchlike._lower.program import Step
from torchlike._record.site import place
from torchlike.autograd.accumulate import AccumulateGrad
from torchlike.autograd.device_copy import DeviceCopy
from torchlike.autograd.special_nodes import CopySlices, PureCall, Window


def ordered(roots) -> list:
    """The Nodes reachable from some edges, operands first.

    Args:
        roots: (Node, output number) of each.

    Returns:
        A list; leaves come first, in the order of their first use.
    """
    seen, stack = set(), [edge[0] for edge in roots]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(edge[0] for edge in node.edges if edge is not None)
    inner = sorted((node for node in seen if node.__class__ is not AccumulateGrad), key=lambda node: node.seq)
    used = dict.fromkeys(edge[0] for node in inner for edge in node.edges if edge is not None and edge[0].is_leaf)
    used.update(dict.fromkeys(edge[0] for edge in roots if edge[0].is_leaf))
    return [*used, *inner]


def described(node) -> str:
    """A Node for an error text: its name and the user's line.

    Args:
        node: the Node.

    Returns:
        For instance ``MulBackward0 (train.py, line 12)``.
    """
    file, line, _ = place(node.site)
    return node.name() if file is None else f"{node.name()} ({file}, line {line})"


def kernel_step(kernel, numbers, reads, makes, **facts) -> Step:
    """The Step of a kernel.

    Args:
        kernel: the Kernel.
        numbers: its Python numbers.
        reads, makes, facts: as for `Step`.

    Returns:
        The Step.
    """
    scalars = [NUMBER_DTYPES[kind].type(n) for kind, n in zip(kernel.numbers, numbers, strict=True)]
    dtypes = [aval.dtype.np for aval in kernel.ins]

    def function(*arrays):
        with backend_of(kernel.device).tracing(kernel.precision):
            # a write rounds its result to what it writes to, of which the Node that made it knows nothing
            return kernel.function(*(x.astype(dtype) for x, dtype in zip(arrays, dtypes, strict=True)), *scalars)

    typed = tuple((n.__class__, repr(n)) for n in numbers)
    return Step(kernel.name, function, reads, makes, (kernel, typed), operand_names(kernel), **facts)


def operand_names(kernel) -> tuple:
    """What the operands of a kernel are called in PyTorch's schema; of a list of tensors each by its number.

    Args:
        kernel: the Kernel.

    Returns:
        A tuple of names, empty for a kernel that is no row's.
    """
    if kernel.row is None:
        return ()
    names = []
    for name, kind in zip(kernel.row.operands, kernel.spec[0], strict=False):
        if kind == "a":
            names.append(name)
        elif isinstance(kind, tuple):
            names += [f"{name.rstrip('s')}{i}" for i, there in enumerate(kind) if there]
    return tuple(names)


def step_of(node, operand) -> Step:
    """The Step that a Node stands for. Custom Functions are not among them.

    Args:
        node: the Node.
        operand: gives keys: ``operand(node, i)`` that of the operand at that place.

    Returns:
        The Step.

    Raises:
        UnsupportedError: it stands for no function of arrays, or has been freed.
    """
    facts = {"node": node, "site": node.site, "seq": node.seq}
    makes = [(node, k) for k in range(node.n_outputs)]
    if node.__class__ is CopySlices:
        return _of_write(node, operand, facts)
    reads = [operand(node, i) for i in range(len(node.edges))]
    apply = getattr(node, "apply", None)
    if apply is not None:
        return Step("gradient", lambda *arrays: apply(arrays), reads, makes, node, **facts)
    if node.plan is not None:
        return kernel_step(node.plan.kernel, node.numbers, reads, makes, **facts)
    function = _FUNCTIONS.get(node.__class__)
    if function is None:
        raise UnsupportedError(f"lowering {described(node)}")
    name, made = function(node)
    return Step(name, made, reads, makes, node, **facts)


def _of_write(node, operand, facts) -> Step:
    """The base after an operation was applied to its view."""
    fn, chain = node.fn, node.chain
    if fn is None:
        raise UnsupportedError(f"lowering {described(node)}, which has been freed: keep the graph with retain_graph=True")
    if fn.plan is None:
        raise UnsupportedError(f"lowering {described(node)}, a custom Function that writes to a view")
    reads = [operand(node, 0), *(operand(fn, i) for i in range(1, len(fn.edges)))]
    inner = kernel_step(fn.plan.kernel, fn.numbers, [], [])

    def function(base, *others):
        parts = [base]
        for row, params in chain:
            parts.append(row.fn(parts[-1], **dict(zip(row.params, params, strict=True))))
        view = parts.pop()
        new = inner.function(view, *others)[0].astype(view.dtype)
        for (row, params), parent in zip(reversed(chain), reversed(parts), strict=True):
            new = row.view.put(parent, new, **dict(zip(row.params, params, strict=True)))
        return (new,)

    return Step(f"{fn.plan.kernel.name}_in_place", function, reads, [(node, 0)], (inner.form, chain), **facts)


def _window(node):
    chain = node.chain

    def function(x):
        for row, params in chain:
            x = row.fn(x, **dict(zip(row.params, params, strict=True)))
        return (x,)

    return "window", function


def _pure(node):
    if node.function is None:
        raise UnsupportedError(f"lowering {described(node)}, which has been freed: keep the graph with retain_graph=True")
    return "pure_call", lambda *arrays: tuple(node.function(*arrays))


_FUNCTIONS = {Window: _window, PureCall: _pure, DeviceCopy: lambda node: ("copy", lambda x: (x,))}
