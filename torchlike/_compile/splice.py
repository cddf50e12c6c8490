"""A whole trace as one function, for a backend to compile.

Numbers are constants of the function unless their Call's `dynamic` says that this position has been seen with a second
value: then they arrive in one float64 vector, the first argument.
"""

import jax
import numpy as np

from torchlike._compile import fences
from torchlike._compile.avals import NUMBER_DTYPES
from torchlike._compile.program import Call, Input, Program, input_avals, input_slots, needed_items, placed, slot_avals


def splice(program: Program) -> tuple:
    """The function of a program. Sets ``program.places``: the results come in another order than ``program.live``.

    Returns:
        (a function of jax arrays, JAX's descriptions of its arguments, the positions of those that its results may
        overwrite), as `Backend.compile_program` takes them.
    """
    arguments = [a.sds for a in input_avals(program.items)]
    pairs = _overwritten(program)
    donate = tuple(pairs)
    # JAX pairs donated inputs with results in order: results that overwrite come first, as their inputs do.
    order = [*pairs.values(), *(i for i in range(len(program.live)) if i not in set(pairs.values()))]
    program.places = tuple(sorted(range(len(order)), key=order.__getitem__))
    has_numbers = any(program.dynamic)
    if has_numbers:
        arguments.insert(0, jax.ShapeDtypeStruct((sum(program.dynamic),), np.float64))
        donate = tuple(i + 1 for i in donate)
    function = _spliced(program, has_numbers, [program.live[i] for i in order])
    return function, arguments, donate


def _spliced(program, has_numbers, returned):
    needed = needed_items(program.items, program.live)
    flags = iter(program.dynamic)  # not item.dynamic: that may have changed since, on another thread
    dynamic = [[next(flags) for _ in item.dynamic] if item.__class__ is Call else ()
               for item in program.items]

    def torchlike_program(*arguments):
        fenced = _fenced(program.items, needed)  # which may trace kernels
        numbers = iter(arguments[0]) if has_numbers else iter(())
        arrays = iter(arguments[1:] if has_numbers else arguments)
        env = []
        for item, wanted, changing in zip(program.items, needed, dynamic, strict=True):
            if item.__class__ is Input:
                env.append(next(arrays))
                continue
            values = [_number(kind, next(numbers) if change else constant, change)
                      for kind, constant, change in
                      zip(item.kernel.numbers, item.constants, changing, strict=True)]
            if wanted:
                results = item.kernel.spliced(*(env[s] for s in item.slots), *values)
                env.extend([fences.fence(r) if s in fenced else r for s, r in enumerate(results, len(env))])
            else:
                env.extend([None] * len(item.kernel.outs))
        return tuple(env[s] for s in returned)

    return torchlike_program


def _fenced(items, needed) -> set:
    """The slots that another instruction reads and that need a fence."""
    read = {s for item, wanted in zip(items, needed, strict=True) if wanted and item.__class__ is Call
            for s in item.slots}
    found = set()
    for item, outs in placed(items):
        if item.__class__ is Call and not read.isdisjoint(outs):
            found.update(s for s, flag in zip(outs, fences.needed(item), strict=True) if flag and s in read)
    return found


def _number(kind, value, dynamic):
    return value.astype(NUMBER_DTYPES[kind]) if dynamic else NUMBER_DTYPES[kind].type(value)


def _overwritten(program) -> dict:
    """Input position -> index in ``live`` of the result that takes its buffer, in order of the inputs.

    Only a buffer that may be donated, and only where the last instruction to read it makes a result of
    the same form: what `x.add_(y)` or an optimizer's step does. Any other pairing costs XLA a copy.
    """
    wanted = {slot: i for i, slot in enumerate(program.live)}
    avals, inputs = slot_avals(program.items), input_slots(program.items)
    owner = {inputs[position]: position for position in program.may_donate}
    found: dict = {}  # slot of the input -> slot of the result
    for item, outs in placed(program.items):
        if item.__class__ is Input:
            continue
        for at, operand in enumerate(item.slots):
            if operand in owner:
                out = outs[at if at < len(outs) else 0]
                same = out in wanted and avals[out].plain == avals[operand].plain and out not in found.values()
                found[operand] = out if same else None
    return {owner[s]: wanted[out] for s, out in sorted(found.items()) if out is not None}
