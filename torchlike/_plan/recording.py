"""Runs a program up to the end of a step, and notes what the step is made of."""

import contextlib
import os
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence

from torchlike._base.ports import free_port
from torchlike._compile.executors.stack import stack
from torchlike._diff import program_run
from torchlike._plan.facts import Step
from torchlike._plan.graph import operations
from torchlike._plan.operations import Operations
from torchlike._plan.parameters import Model, bytes_of
from torchlike._plan.programs import Ran, Watch
from torchlike._record import dispatch
from torchlike._record.trace import run, state
from torchlike.autograd.accumulate import AccumulateGrad
from torchlike.autograd.engine import run_here
from torchlike.backends._tf32 import get_float32_matmul_precision
from torchlike.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torchlike.optim.optimizer import Optimizer, register_optimizer_step_post_hook


class Planned(BaseException):
    """Raised in the program when the step is over: the rest of it need not run."""


class NoStepError(Exception):
    """The program has ended before the step that was to be planned."""


class Recorder:
    """Watches a program's step, as the Engine of its backward passes, among others.

    ``step``: the `Step`, and ``programs``: a `Ran` for each program that it has run; None until it is over.

    Args:
        number: the step, counted by the steps of the optimizer that is the first to take one; from 2 on, so that it has made
            what it keeps, and from 3 on where there are several.
    """

    def __init__(self, number: int):
        self.number = number
        self.step: Step | None = None
        self.programs: list[Ran] = []
        self._counts: dict[Optimizer, int] = {}
        self._model: Model | None = None
        self._depth = 0
        self._called: weakref.WeakSet = weakref.WeakSet()
        self._watched = contextlib.ExitStack()
        self._watched.callback(register_module_forward_pre_hook(lambda module, inputs: self._called.add(module)).remove)

    def after(self, optimizer: Optimizer, args, kwargs) -> None:
        """A hook for after the step of any optimizer.

        Args:
            optimizer: the one.
            args, kwargs: not looked at.

        Raises:
            Planned: the step is over.
        """
        self._counts[optimizer] = self._counts.get(optimizer, 0) + 1
        if self.step is not None or optimizer is not next(iter(self._counts)):
            return
        if self._counts[optimizer] == self.number - 1:
            self._begin()
        elif self._counts[optimizer] == self.number:
            self._end()
            raise Planned

    def _begin(self) -> None:
        run(state.trace)
        self._model = Model(self._counts, self._called)
        self._seen = Operations(self._model.units)
        self._passes: list = []
        self._order: list = []
        self._watch = Watch(self._model, self._counts)
        self._owned = [x._cell for x in (*(p for _, p, _ in self._model.parameters), *self._model.buffers())]
        into = self._watched
        dispatch.install(self._seen)
        into.callback(dispatch.uninstall, self._seen)
        into.enter_context(stack.executing(self._watch))
        into.callback(register_module_forward_pre_hook(self._seen.enter).remove)
        into.callback(register_module_forward_hook(self._seen.leave, always_call=True).remove)
        thread = state.thread
        into.callback(setattr, thread, "engine", thread.engine)
        thread.engine = self

    def close(self) -> None:
        """Nothing is watched any more."""
        self._watched.close()

    def _end(self) -> None:
        run(state.trace)
        model, seen = self._model, self._seen
        assert model is not None
        self.close()
        buffers: dict[str, int] = {}
        for x in model.buffers():
            buffers[x.dtype.name] = buffers.get(x.dtype.name, 0) + bytes_of(x)
        self.programs = self._watch.ran
        self.step = Step(
            model.facts(self._counts), [*model.units.values()], self._passes, self._order, buffers, seen.boundary,
            self._watch.batch(), seen.others(), get_float32_matmul_precision() != "highest",
            sum(ran.traffic for ran in self.programs))

    def run_backward(self, roots, grads, keep, captures, create_graph, targets):
        """The pass, as `torchlike.autograd.engine` runs it; see `Engine`."""
        model = self._model
        assert model is not None
        if self._depth == 0:
            self._passes.append(operations([edge[0] for edge in roots], model.places, self._seen.known, self._owned))
            self._order = []
            self._seen.expect(self._passes[-1])
        self._depth += 1
        try:
            return run_here(roots, grads, keep, create_graph, captures, targets, self._watching)
        finally:
            self._depth -= 1

    def _watching(self, evaluate):
        places = self._model.places if self._model is not None else {}

        def watched(task, node, buffer):
            if node.__class__ is not AccumulateGrad:
                found = evaluate(task, node, buffer)
                self._seen.ran(node.seq)
                return found
            if id(node.variable) in places:
                self._order.append(places[id(node.variable)])
            with dispatch.removed(self._seen):  # where there are handlers, gradients are others' and stay as they lie
                return evaluate(task, node, buffer)

        return watched


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """A block in whose environment this is the one rank of its group, for programs that start one."""
    alone = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1",
             "MASTER_PORT": str(free_port())}
    before = {name: os.environ.get(name) for name in alone}
    os.environ.update(alone)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def watched(function: Callable[[], object], number: int) -> tuple[Step, list[Ran]]:
    """Calls a function up to the end of a step that it takes.

    Args:
        function: what trains.
        number: which step, see `Recorder`.

    Returns:
        (the `Step`, a `Ran` for each program that it has run).

    Raises:
        NoStepError: the function has returned before.
        UnsupportedError: what it trains is no plain tensor.
    """
    recorder = Recorder(number)
    handle = register_optimizer_step_post_hook(recorder.after)
    try:
        with contextlib.suppress(Planned, SystemExit):
            function()
    finally:
        handle.remove()
        recorder.close()
    if recorder.step is None:
        raise NoStepError(f"the program has taken fewer than {number} optimizer steps")
    return recorder.step, recorder.programs


def recorded(program: str, arguments: Sequence[str], number: int, source: bytes | None = None) -> tuple[Step, list[Ran]]:
    """Runs a program up to the end of a step. It is the only rank if it asks; what it prints goes to standard error.

    Args:
        program: the path of the file.
        arguments: the program's.
        number: which step, see `Recorder`.
        source: what is run in the file's place, if that is no Python.

    Returns:
        As `watched`.

    Raises:
        NoStepError, UnsupportedError: as `watched`.
    """
    with contextlib.redirect_stdout(sys.stderr), _alone():
        return watched(lambda: program_run.execute(program, list(arguments), source=source), number)
