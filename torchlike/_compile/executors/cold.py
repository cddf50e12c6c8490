"""The cold tier: kernel by kernel, each a small program of its own."""

from collections.abc import Callable, Sequence

import jax

from torchlike._compile.avals import NUMBER_DTYPES
from torchlike._compile.backends.registry import backend_of
from torchlike._compile.executors.parallel import compile_together
from torchlike._compile.program import Call, Input, Program, last_uses, needed_items


class ColdTier:
    """Runs any trace. A value is dropped after its last use, so memory stays PyTorch's."""

    def run(self, program, inputs, numbers):
        """See `Executor.run`."""
        run = backend_of(program.device).run

        def call(item, arguments):
            return run(item.kernel.compiled, arguments)

        return one_by_one(program, inputs, numbers, call)


def one_by_one(program: Program, inputs: list, numbers: list, call: Callable[[Call, list], Sequence]) -> list:
    """The live results of a trace. `call` returns the results of an instruction for its arguments; kernels that are not
    compiled are compiled first, side by side."""
    items, live = program.items, program.live
    needed = needed_items(items, live)
    last = last_uses(items, needed, live)
    wanted = [item for item, flag in zip(items, needed, strict=True) if flag]
    compile_together({k for item in wanted for k in item.kernel.pieces if not k.is_compiled})
    with jax.enable_x64(True):
        return _interpret(items, live, iter(inputs), iter(numbers), needed, last, call)


def _interpret(items, live, arrays, number, needed, last, call):
    env: list = []
    for i, item in enumerate(items):
        if item.__class__ is Input:
            env.append(next(arrays))
            continue
        values = [NUMBER_DTYPES[kind].type(next(number)) for kind in item.kernel.numbers]
        if needed[i]:
            env.extend(call(item, [*[env[s] for s in item.slots], *values]))
            for s in last.get(i, ()):
                env[s] = None
        else:
            env.extend([None] * len(item.kernel.outs))
    return [env[s] for s in live]
