"""The PyTorch side of a port: a module or a function, every operation of it recorded with the module that it is in."""

import contextlib
import copy
import dataclasses
import importlib
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from torchlike._diff import program_run, recorder
from torchlike._diff.recorder import LEAF, Event

_ROOT = str(Path(__file__).parents[1]) + os.sep


@dataclasses.dataclass
class Run:
    """What one run did. `outputs` are (event, number of the output) or None, `parameters` (name, values, is it trained)."""

    events: list[Event]
    outputs: list
    values: list
    cotangents: list
    recording: "Recording"
    parameters: list[tuple[str, Any, bool]]
    gradients: dict[str, Any]
    inputs: set[int]  # their events


class Recording(recorder.Recording):
    """A recording that knows in which module an operation is, and the parameters by name."""

    def __init__(self, torch, widen: bool):
        super().__init__(torch, widen)
        self.stack: list[tuple] = [("", None)]
        self.modules: dict[int, tuple[str, bool]] = {}  # event -> the module that it is in, and whether that is training
        self.known: dict[int, str] = {}  # id of a parameter -> name
        self.parts: dict[int, Any] = {}  # event -> that module
        self.leaves: dict[str, int] = {}  # parameter -> its event
        self.needing: set[tuple[int, int]] = set()  # what requires grad
        self.before: dict[int, tuple] = {}  # id of a tensor of the program -> (it, its data, its gradient)

    def is_library(self, code) -> bool:
        return super().is_library(code) or (code.co_filename.startswith(_ROOT) and recorder.PROGRAMS not in code.co_filename)

    def label(self, x, frame) -> str:
        return self.known.get(id(x)) or super().label(x, frame)

    def wide(self, x):
        self._keep(x)
        return super().wide(x)

    def add(self, event: Event, made: list, is_known: bool = True) -> None:
        number = len(self.events)
        if event.name == LEAF:
            self._keep(made[0])
        path, self.parts[number] = self.stack[-1]
        self.modules[number] = path, getattr(self.parts[number], "training", False)
        super().add(event, made, is_known)
        self.needing.update((number, i) for i, x in enumerate(made) if x.requires_grad)
        if event.name == LEAF and id(made[0]) in self.known:
            self.leaves.setdefault(self.known[id(made[0])], number)

    def follow(self, module) -> None:
        """Keep track of the modules that are called."""
        for path, part in module.named_modules():
            part.register_forward_pre_hook(lambda part, args, path=path: self.stack.append((path, part)))
            part.register_forward_hook(lambda part, args, result: self._leave(), always_call=True)
        for name, x in (*module.named_parameters(), *module.named_buffers()):
            self.known[id(x)] = name

    def restore(self) -> None:
        """Give the tensors of the program back the data and the gradients that they had."""
        for x, data, gradient in self.before.values():
            x.data, x.grad = data, gradient

    def _keep(self, x) -> None:
        if x.is_leaf and id(x) not in self.before:
            self.before[id(x)] = x, x.data, x.grad
            x.grad = None

    def _leave(self) -> None:
        self.stack.pop()


def torch_of(program) -> Any:
    """The module that stands for torch: PyTorch for one of its modules, else torchlike."""
    real = sys.modules.get("torch")
    layers = getattr(getattr(real, "nn", None), "Module", None)
    if real is not None and layers is not None and isinstance(program, layers):
        return real
    return importlib.import_module("torchlike")


def run(program: Callable, inputs: list, loss: Callable | None, is_wide: bool) -> Run:
    """Runs a module on the inputs, or a function on the module torch and the inputs, forward and backward.

    The gradients are those of `loss` of what comes out, or of a sum of all outputs with weights drawn by chance.
    """
    torch = torch_of(program)
    recording, is_module = Recording(torch, is_wide), isinstance(program, torch.nn.Module)
    called: Any = program
    if is_module:
        called = copy.deepcopy(program)
        called.zero_grad()
        if is_wide or any(x.dtype == torch.float64 for x in called.parameters()):
            called = called.double() if is_wide else called.float()
        recording.follow(called)
    with random_state(torch):
        leaves = [_tensor(torch, x, is_wide) for x in inputs]
        with recorder.recorded(recording):
            given = [x.clone() if x.requires_grad else x for x in leaves]
            result = called(*given) if is_module else called(torch, *given)
            result = result if loss is None else loss(result)
        outputs = [x for x in recorder._flat(result) if isinstance(x, torch.Tensor)]
        cotangents = _backward(torch, outputs, loss)
    sources = [recording.kept.get(id(x), (None, None, None))[2] for x in outputs]
    starts = {recording.kept[id(x)][2][0] for x in leaves if id(x) in recording.kept}
    values = [recorder.array(x.detach(), torch) for x in outputs]
    made = Run([], sources, values, cotangents, recording, [], {}, starts)
    if is_module:
        named = [(name, x, True) for name, x in called.named_parameters()]
        named += [(name, x, False) for name, x in called.named_buffers()]
        made.parameters = [(name, recorder.array(x.detach(), torch), trained) for name, x, trained in named]
        made.gradients = {name: recorder.array(x.grad, torch) for name, x, _ in named if x.grad is not None}
    made.events = recording.finish()
    if not is_module:
        _find_parameters(made)
    recording.restore()
    return made


def _find_parameters(made: Run) -> None:
    """Those of a function are the leaves that it trains, by the names that it has for them."""
    for number, event in enumerate(made.events):
        if event.name == LEAF and number not in made.inputs and (number, 0) in made.recording.needing:
            name = event.label or f"leaf {number}"
            made.parameters.append((name, event.values[0], True))
            made.recording.leaves.setdefault(name, number)
            if event.grads:
                made.gradients[name] = event.grads[0][2]


def _tensor(torch, x, is_wide: bool):
    """An input; in float32 at most but for the rerun, which says what rounding there is by the distance from it."""
    x = torch.tensor(np.asarray(x))
    if x.is_floating_point() and (is_wide or x.dtype == torch.float64):
        x = x.double() if is_wide else x.float()
    return x.requires_grad_() if x.is_floating_point() else x


def _backward(torch, outputs: list, loss) -> list:
    """The backward pass; what went into it, None for outputs without gradients."""
    if loss is not None and (len(outputs) != 1 or outputs[0].numel() != 1):
        shapes = ", ".join(str(list(x.shape)) for x in outputs)
        raise ValueError(f"loss= must give one number, and gives {shapes}")
    generator = np.random.default_rng(0)
    drawn = [np.ones(x.shape) if x.numel() == 1 else generator.standard_normal(tuple(x.shape)) for x in outputs]
    cotangents = [g if x.requires_grad else None for x, g in zip(outputs, drawn, strict=True)]
    pairs = [(x, torch.tensor(g).to(x.dtype)) for x, g in zip(outputs, cotangents, strict=True) if g is not None]
    if pairs:
        torch.autograd.backward([x for x, _ in pairs], [g for _, g in pairs])
    return cotangents


@contextlib.contextmanager
def random_state(torch):
    """A block that begins as every run of a program does, and leaves the generators as they were."""
    before = torch.get_rng_state(), random.getstate(), np.random.get_state()
    program_run.seed(torch)
    try:
        yield
    finally:
        torch.set_rng_state(before[0])
        random.setstate(before[1])
        np.random.set_state(before[2])
