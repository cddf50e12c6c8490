"""The functional form of a graph as a jaxpr, each line known by the Node that it stands for."""

from typing import NamedTuple

import jax

from torchlike._base.errors import UnsupportedError
from torchlike._compile.jax_private import own_work, traced
from torchlike._lower.lowered import Lowered
from torchlike._lower.program import each_step, value_of

_SCOPE = "torchlike_step_"
_INDENT = 4  # of an equation of the outermost jaxpr


class Line(NamedTuple):
    """A line of the jaxpr, and the Node whose step it is; None of the first and last, and of constants."""

    text: str
    node: object


def functional_form(loss, found) -> list[Line]:
    """The lines of the jaxpr of a program that has run.

    Args:
        loss: the Tensor at its end.
        found: the variables of the frames outside torchlike, see `user_frames`.

    Returns:
        A `Line` for each; one that says why where the program has no functional form.
    """
    try:
        lowered = Lowered(loss, found)
        steps = list(each_step(lowered.steps))

        def function(leaves):
            env = {edge: leaves[name] for name, edge in lowered.edges.items()}
            for i, step in enumerate(steps):
                with jax.named_scope(f"{_SCOPE}{i}"):
                    step.run(env)
            return value_of(lowered.root, env)

        with own_work():
            made = traced(function, lowered.values())
    except UnsupportedError as error:
        return [Line(f"no functional form: {error}", None)]
    return _lines(made, steps)


def _lines(closed, steps) -> list:
    nodes = [_node_of(eqn, steps) for eqn in closed.jaxpr.eqns]
    text = closed.jaxpr.pretty_print(source_info=False, name_stack=False)
    found, owner = [], None
    heads = iter(nodes)
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if indent == _INDENT:  # an equation begins
            owner = next(heads, None)
        elif indent < _INDENT:
            owner = None
        found.append(Line(line, owner))
    return found


def _node_of(eqn, steps):
    stack = str(eqn.source_info.name_stack)
    at = stack.find(_SCOPE)
    if at < 0:
        return None
    digits = stack[at + len(_SCOPE):].split("/")[0]
    return steps[int(digits)].node if digits.isdigit() else None
