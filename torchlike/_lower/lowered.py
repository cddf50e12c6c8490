"""`lower`: the one public function, and what it gives."""

import contextlib
from collections.abc import Iterator

import jax

from torchlike._base.errors import UnsupportedError
from torchlike._compile.jax_private import own_work
from torchlike._lower import names
from torchlike._lower.custom import custom_step
from torchlike._lower.graph import ordered, step_of
from torchlike._lower.keeper import Keeper
from torchlike._lower.origins import Origins
from torchlike._lower.program import each_step, value_of
from torchlike._lower.regions import with_checkpoints
from torchlike._lower.render import backward_text, forward_text
from torchlike._record.history import edge_of
from torchlike._record.tensor import Tensor
from torchlike._record.trace import force, state
from torchlike.autograd._function.node import FunctionNode

_NARROW = ("a lowered program has integers of 64 bits, as PyTorch has them: transform it inside of "
           "'with jax.enable_x64(True):'")


@contextlib.contextmanager
def lowering() -> Iterator[None]:
    """A block in which the graph keeps what `lower` may need: the values of all operands that require no grad.

    Outside of it they are found where they still are, which is nearly always, until other programs have run. Not in
    PyTorch.

    Yields:
        nothing.
    """
    thread = state.thread
    before = thread.observers
    thread.observers = (*before, Keeper())
    try:
        yield
    finally:
        thread.observers = before


class Lowered:
    """A program that has run, as a pure function of its leaves.

    ``leaves``: {name: Tensor} of the leaves that require grad. Calling it is the function, for any transform of JAX's.
    PyTorch's integers have 64 bits, so transforms need ``jax.enable_x64(True)`` where JAX's own do not.
    """

    def __init__(self, loss, found):
        self.leaves: dict[str, Tensor] = {}
        self.root = edge_of(loss)
        order = ordered([self.root])
        origins = Origins(order, [(self.root, loss._cell)])
        if self.root in origins.rewritten:
            raise UnsupportedError("lowering a result that was written to without history")
        self.steps = _steps(order, origins, [self.root])
        self.names = names.Names(found, order)
        self.edges = {self.names.of_leaf(node.variable): (node, 0) for node in order if node.is_leaf}
        self.leaves = {name: node.variable for name, (node, _) in self.edges.items()}
        self.names.of_values(list(each_step(self.steps)))
        self.name = self.names.of_value(self.root) or "loss"

    def __call__(self, leaves):
        """The loss.

        Args:
            leaves: {name: array} for all of ``leaves``, of their shapes and dtypes.

        Returns:
            An array.

        Raises:
            RuntimeError: it is transformed where JAX has no types of 64 bits.
        """
        if not jax.config.jax_enable_x64 and any(isinstance(x, jax.core.Tracer) for x in jax.tree.leaves(leaves)):
            raise RuntimeError(_NARROW)
        env = {edge: leaves[name] for name, edge in self.edges.items()}
        with jax.enable_x64(True):
            for step in self.steps:
                step.run(env)
        return value_of(self.root, env)

    def values(self) -> dict:
        """{name: array} of what the leaves hold now."""
        return {name: force(leaf._cell) for name, leaf in self.leaves.items()}

    @staticmethod
    def form_of(edge):
        """The shape and dtype of a leaf.

        Args:
            edge: (Node, 0).

        Returns:
            A `jax.ShapeDtypeStruct`.
        """
        aval = edge[0].variable._cell.aval
        return jax.ShapeDtypeStruct(tuple(aval.shape), aval.dtype.np)

    def source(self) -> str:
        """The function as a module in Python that imports JAX only.

        Its function takes the dictionary of the leaves' arrays. ``jax.grad`` of it has JAX's derivatives, which differ from
        PyTorch's at ties and bounds (relu at 0), and whose complex values are the conjugates.

        Returns:
            The text.

        Raises:
            UnsupportedError: a primitive of JAX's has no rule in the table; the text names it.
        """
        return forward_text(self)

    def backward_source(self) -> str:
        """The loss and its gradients as such a module: the formulas of PyTorch's gradients, in the order of the tape.

        Returns:
            The text; its function returns the loss and {name: gradient}.

        Raises:
            UnsupportedError: as for `source`.
        """
        return backward_text(self)

    def jaxpr(self):
        """The function as a `jax.core.ClosedJaxpr`, of the forms that the leaves have."""
        with own_work():
            return jax.make_jaxpr(self)(self.values())

    def stablehlo(self) -> str:
        """The function as StableHLO's text."""
        with own_work():
            return jax.jit(self).lower(self.values()).as_text()


def _steps(order, origins, roots) -> list:
    """The steps of a graph, those that make what has no history among them."""
    steps = origins.steps
    for node in order:
        if not node.is_leaf:
            step = custom_step(node, origins) if isinstance(node, FunctionNode) else step_of(node, origins.operand)
            steps.append(step)
    return with_checkpoints(steps, roots)


def lower(loss: Tensor) -> Lowered:
    """From a program that has run, the pure function of its leaves: to call, as jaxpr, StableHLO, or source in JAX.

    Operations are what the graph has recorded; what requires no grad is a constant, or code where it is made anew or
    depends on a leaf without gradient. Not in PyTorch.

    Args:
        loss: a Tensor with a graph. After ``backward`` without ``retain_graph`` parts of it may be gone.

    Returns:
        A `Lowered`.

    Raises:
        TypeError: `loss` is no Tensor.
        RuntimeError: it has no graph.
        UnsupportedError: an operation that is no function of arrays, or whose operands are not known any more; the text
            names it.
    """
    if not isinstance(loss, Tensor):
        raise TypeError(f"lower(): argument 'loss' must be Tensor, not {type(loss).__name__}")
    if loss._edge is None:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    return Lowered(loss, names.user_frames())
