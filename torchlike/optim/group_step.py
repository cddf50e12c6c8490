"""Recording the step of a parameter group as one instruction.

What a rule does to one parameter is a kernel, a *part*; parameters of one form share it. The instruction's kernel joins
them (`step_kernel` of the facade).
"""

import functools
import operator
from typing import Any

from torchlike._record.cell import Storage
from torchlike._record.facade import function_kernel, step_kernel
from torchlike._record.tensor import Tensor
from torchlike._record.trace import end_of_step, state
from torchlike._record.update import update, update_views
from torchlike.optim.arithmetic import part_function

# -- hyper-parameters

def sort_numbers(names, values):
    """Sorts hyperparameters by how they reach a kernel.

    Args:
        names: their names.
        values: a number or Tensor for each.

    Returns:
        (marks, tensors, numbers). A mark is "t" for a Tensor, "n" for a number that may change from step to step, "0" for
        one that is left out because it is zero.

    Raises:
        ValueError: a Tensor has not one element.
    """
    marks, tensors, numbers = [], [], []
    for name, value in zip(names, values, strict=True):
        if isinstance(value, Tensor):
            if value.numel() != 1:
                raise ValueError(f"Tensor {name} must be 1-element")
            marks.append("t")
            tensors.append(value)
        elif value == 0 and name != "lr":  # a schedule may start with a learning rate of zero
            marks.append("0")
        else:
            marks.append("n")
            numbers.append(float(value))
    return "".join(marks), tensors, tuple(numbers)


# -- the plan of a group

@functools.lru_cache(maxsize=256)
def getter(names):
    """How to take some entries from a dictionary at once.

    Args:
        names: their keys.

    Returns:
        A function from a dictionary to the tuple of these entries.
    """
    if len(names) == 1:
        name = names[0]
        return lambda entries: (entries[name],)
    return operator.itemgetter(*names)


class Plan:
    """What the last step of a group came to. It holds for the next one if that is about the same cells.

    ``owned``: the cells that are overwritten, parameter by parameter; ``avals`` of these and of the
    gradients; ``batches``: (kernel, parameter numbers) in the order in which they are recorded;
    ``of_wrappers``: whether the cells are those of parts, see `in_parts`.
    """

    __slots__ = ("avals", "batches", "flags", "marks", "names", "numbers", "of_wrappers", "owned", "parts", "plain",
                 "tensors", "values")
    values: tuple
    of_wrappers: bool

    def holds(self, flags, names, values, owned, avals) -> bool:
        """Whether nothing but gradients and values has changed.

        Args:
            flags, names, values: what the optimizer's `_form` gives now.
            owned: the cells to overwrite.
            avals: those of these cells and of the gradients.

        Returns:
            A bool. Values are compared by identity.
        """
        return (self.owned == owned and self.avals == avals and self.flags == flags and self.names == names
                and self._same(values))

    def _same(self, values) -> bool:
        # by identity: comparing Tensors would record a comparison
        return len(self.values) == len(values) and all(map(operator.is_, self.values, values))


def make_plan(rule, flags, names, values, owned, grads, old) -> Plan:
    """The plan of a step.

    Args:
        rule: the `Rule`.
        flags, names, values: what the optimizer's `_form` gives: the rule's flags, the names of the states, the numbers.
        owned: the cells to overwrite, parameter by parameter with its states.
        grads: the cells of the gradients.
        old: the plan before it, or None; its kernels are taken over where only numbers changed.

    Returns:
        A `Plan`.
    """
    made = Plan()
    made.of_wrappers = False
    made.flags, made.names, made.values, made.owned = flags, names, values, owned
    made.plain = all(c.__class__ is Storage and not c.inference for c in owned)
    made.avals = [c.aval for c in owned] + [c.aval for c in grads]
    made.marks, made.tensors, made.numbers = sort_numbers(rule.numbers, values)
    if old is not None and (old.owned, old.avals, old.flags, old.names, old.marks) == \
            (owned, made.avals, flags, names, made.marks) and not made.tensors:
        made.parts, made.batches = old.parts, old.batches  # only numbers have changed
        return made
    width = 1 + len(names)
    extras = tuple(x._cell.aval.plain for x in made.tensors)
    made.parts = [part_kernel(rule, flags, names, made.marks, tuple(c.aval.plain for c in owned[i:i + width]),
                              g.aval.plain, extras)
                  for i, g in zip(range(0, len(owned), width), grads, strict=True)]
    made.batches = [(step_kernel(tuple([made.parts[i] for i in numbers]), extras), numbers)
                    for numbers in _batches(owned, width)]
    return made


def in_parts(owned, grads, width) -> tuple:
    """A step on what wrappers hold, where it can be done so: DTensors of which this process has parts.

    A rule that is a function of elements may see the parts of a parameter, its states and its gradient alone, if they are
    parts of the same places. A class whose tensors are such has ``_elementwise_part(places)``: (the places, a tensor without
    history); it moves the tensor if it lies elsewhere, as gradients may.

    Args:
        owned: the cells to overwrite, parameter by parameter with its states.
        grads: those of the gradients.
        width: how many of `owned` a parameter has.

    Returns:
        (`owned`, `grads`, whether they are cells of parts now).
    """
    parts, found = [], False
    for i, g in enumerate(grads):
        cells = [*owned[i * width:(i + 1) * width], g]
        made = _parts_of(cells)
        if made is None:
            return owned, grads, False
        found = found or made is not cells
        parts.append(made)
    if not found:
        return owned, grads, False
    for c in owned:
        if c.handler is not None:
            c.version += 1
    return [c for cells in parts for c in cells[:-1]], [cells[-1] for cells in parts], True


def _parts_of(cells):
    """The cells of the parts of a parameter, its states and its gradient; None where they are no parts of the same."""
    functions = [None if c.handler is None else getattr(c.rewrapped(), "_elementwise_part", None) for c in cells]
    if not any(functions):
        return cells if all(c.handler is None for c in cells) else None
    if any(f is None and c.aval.ndim for f, c in zip(functions, cells, strict=True)) or functions[0] is None:
        return None
    places = functions[0](None)[0]
    states = [f(None) for f in functions[1:-1] if f is not None]
    if any(where != places for where, _ in states):
        return None
    return [c if f is None else f(places)[1]._cell for c, f in zip(cells, functions, strict=True)]


def part_kernel(rule, flags, names, marks, owned, g, extras):
    """The kernel of one parameter; parameters of one form share it.

    Args:
        rule, flags, names, marks: as for `part_function`.
        owned: the Avals of the parameter and its states.
        g: that of the gradient.
        extras: those of the hyperparameters that are Tensors.

    Returns:
        The kernel.
    """
    ins = (*owned, g, *extras)
    family = ("optimizer", rule.name, flags, names, marks)
    return function_kernel((family, ins), rule.name, lambda: part_function(rule, flags, names, marks, ins), ins,
                           (float,) * marks.count("n"), family)


def _batches(owned, width) -> list:
    """Parameters that can be updated at once: on one device, and none twice."""
    batches: list = []
    taken: list = []
    for number, start in enumerate(range(0, len(owned), width)):
        cells = owned[start:start + width]
        device = cells[0].aval.device
        for batch, (where, seen) in zip(batches, taken, strict=True):
            if where is device and seen.isdisjoint(cells):
                batch.append(number)
                seen.update(cells)
                break
        else:
            batches.append([number])
            taken.append((device, set(cells)))
    return batches


# -- recording

def step_of(closure, differentiable, change) -> Any:
    """What an optimizer's `step` does.

    Args:
        closure: computes the loss, with gradients enabled; or None.
        differentiable: whether gradients are enabled during the change.
        change: called with the loss, or None.

    Returns:
        What the closure returned.
    """
    thread = state.thread
    before = thread.grad
    loss = None
    try:
        if closure is not None:
            thread.grad = not thread.inference
            loss = closure()
        thread.grad = differentiable
        change(loss)
    finally:
        thread.grad = before
    end_of_step()
    return loss


def record(plan, grads) -> None:
    """Records one instruction for each batch of the plan, which has one as a rule.

    Args:
        plan: the `Plan`.
        grads: the cells that are only read: the gradients.
    """
    note = update if plan.plain else update_views
    if len(plan.batches) == 1:
        note(plan.batches[0][0], plan.owned, grads + [x._cell for x in plan.tensors], plan.numbers)
        return
    width = 1 + len(plan.names)
    for kernel, numbers in plan.batches:
        owned = [c for i in numbers for c in plan.owned[i * width:(i + 1) * width]]
        tensors = [near(x, kernel.device)._cell for x in plan.tensors]
        note(kernel, owned, [grads[i] for i in numbers] + tensors, plan.numbers)


def near(x, device):
    """A hyperparameter on the device of the parameters.

    Args:
        x: a Tensor.
        device: where it must be.

    Returns:
        A Tensor there: `x` if it is there already.
    """
    return x if x._cell.aval.device is device else x.to(device)
