"""Records every operation of a program: its line, its inputs, what it made, and the gradients of that.

This file imports nothing of torchlike: it records under PyTorch as under torchlike, whichever module it is given. It is a
``TorchFunctionMode``, so it sees what the program and the layers of ``torch.nn`` call, under the same names in both. Values
are kept as clones, which are read when the program has ended: torchlike compiles it as it would without.
"""

import contextlib
import dataclasses
import functools
import importlib
import json
import os
import sys
from types import CodeType, FrameType
from typing import Any

import numpy as np

HERE = __file__
PYTHONS = (contextlib.__file__, functools.__file__)  # whose frames lie between
PROGRAMS = os.path.join("_diff", "programs", "")  # of users, though they lie in the package
DECISIONS = frozenset(("__bool__", "item", "__float__", "__int__", "__index__", "tolist", "equal", "allclose", "is_nonzero"))
UNSEEN = frozenset(("grad", "grad_fn", "requires_grad_", "backward", "retain_grad", "register_hook", "numpy",
                    "is_shared", "share_memory_", "data_ptr", "untyped_storage", "zero_grad", "dim", "size", "shape",
                    "is_floating_point", "dtype", "device", "numel", "stride", "is_nested", "is_sparse", "layout",
                    "is_leaf", "requires_grad", "is_complex", "ndim", "is_contiguous", "is_cuda", "is_quantized", "is_meta",
                    "nelement", "__len__", "element_size", "_backward_hooks"))
RANDOM = frozenset(str.split(
    "rand randn randint rand_like randn_like randint_like normal bernoulli multinomial poisson binomial uniform_ normal_ "
    "random_ bernoulli_ exponential_ cauchy_ log_normal_ geometric_ trunc_normal_ xavier_uniform_ xavier_normal_ "
    "kaiming_uniform_ kaiming_normal_ orthogonal_ sparse_"))
NARROW = ("float32", "float16", "bfloat16")
LEAF, STEP, SECOND = "(leaf)", "(step)", "(second derivative)"
BY_OPTIMIZER = "(optimizer)", 0  # the place of what an optimizer does


@dataclasses.dataclass
class Event:
    """One operation, a leaf at its first use, or a parameter after a step. `inputs` are (event, number of the output)."""

    name: str
    place: tuple[str, int]  # file and line
    inputs: list = dataclasses.field(default_factory=list)
    values: list = dataclasses.field(default_factory=list)  # of the outputs, as arrays once the program has ended
    dtypes: list = dataclasses.field(default_factory=list)
    label: str = ""  # of a leaf
    decided: object = None  # what a decision gave
    grads: list = dataclasses.field(default_factory=list)  # (order, number of the output, value or why there is none)
    drew: bool = False  # numbers that are others in float64
    inner: bool = False  # whether a function of the library's own, written in Python, did it

    @property
    def file(self) -> str:
        return self.place[0]

    @property
    def line(self) -> int:
        return self.place[1]


class Recording:
    """What a program did."""

    def __init__(self, torch, widen: bool = False, second_order: bool = False):
        self.torch, self.widen, self.second_order = torch, widen, second_order
        self.is_again = False  # in a backward pass that the program has not asked for
        self.events: list[Event] = []
        self.busy = False  # in a function that has been seen: there may be two modes
        self.watch = None  # (tensor, callback) -> None, of an engine that has no hooks
        self.order = 0
        # id -> (tensor, version, (event, output)); the tensor is held, so that the id stays its own
        self.kept: dict[int, tuple] = {}
        self.root = os.path.dirname(torch.__file__) + os.sep
        self.names: dict = {}
        self.is_inner = False  # of the last place
        self.hooks: list = []
        self.narrow: list[tuple] = []  # what was there before the program and was widened, and what it was

    # what the mode calls

    def operation(self, function, args: tuple, kwargs: dict):
        """Runs a function and records it."""
        name = self.name_of(function)
        if self.busy:
            return function(*args, **kwargs)
        place = self.place(sys._getframe(2), name)
        if place is BY_OPTIMIZER:  # its parameters have the dtype that they shall have
            return function(*args, **kwargs)
        if self.widen:
            args, kwargs = self.widened((args, kwargs))
        tensors = [x for x in _flat((args, kwargs)) if isinstance(x, self.torch.Tensor)]
        if name == "backward" and place is not None and self.second_order and tensors:
            self.differentiate_twice(place, *args, **kwargs)
        if place is None or name in UNSEEN:
            return self.call(function, name, args, kwargs)
        is_inner = self.is_inner
        inputs = [self.reference(x, place) for x in tensors]
        result = self.call(function, name, args, kwargs)
        outputs = args[:1] if name == "__setitem__" else result
        made = [x for x in _flat(outputs) if isinstance(x, self.torch.Tensor)]
        if name in DECISIONS and tensors:
            self.events.append(Event(name, place, inputs, decided=_plain(result), inner=is_inner))
        elif made:
            self.add(Event(name, place, inputs, inner=is_inner), made, is_known=not name.startswith(("empty", "new_empty")))
        return result

    def differentiate_twice(self, place, loss, gradient=None, *unused, **others) -> None:
        """Before a backward pass: the second derivatives of all leaves along one direction, which is the same everywhere."""
        torch = self.torch
        leaves = [x for x, _, _ in list(self.kept.values()) if x.is_leaf and x.requires_grad]
        self.is_again, self.busy = True, True
        try:
            first = torch.autograd.grad(loss, leaves, gradient, create_graph=True, allow_unused=True)
            parts = [(g * _direction(g, torch)).sum() for g in first if g is not None and g.requires_grad]
            second = torch.autograd.grad(sum(parts), leaves, allow_unused=True, retain_graph=True) if parts else ()
        finally:
            self.is_again = self.busy = False
        for x, g in zip(leaves, second, strict=False):
            if g is not None:
                source, _ = self.kept[id(x)][2]
                event = Event(SECOND, place, label=self.events[source].label or self.label(x, sys._getframe(2)))
                event.values.append(g.detach().clone())
                event.dtypes.append(str(g.dtype).removeprefix("torch."))
                self.events.append(event)

    def step(self, optimizer, *unused) -> None:
        """After a step of an optimizer: its parameters."""
        place = self.place(sys._getframe(1), STEP) or ("", 0)
        for group, settings in enumerate(optimizer.param_groups):
            for number, x in enumerate(settings["params"]):
                label = self.label(x, sys._getframe(1)) or f"group {group}, parameter {number}"
                self.add(Event(STEP, place, label=label), [x])

    # parts

    def name_of(self, function) -> str:
        """The last part of its name: ``torch.Tensor.T.__get__`` is ``T``."""
        found = self.names.get(function)
        if found is None:
            whole = self.torch.overrides.resolve_name(function) or getattr(function, "__name__", "")
            parts = [part for part in whole.split(".") if part not in ("__get__", "__set__", "__call__")]
            found = self.names[function] = parts[-1] if parts else ""
        return found

    def place(self, frame: FrameType | None, name: str) -> tuple[str, int] | None:
        """(file, line) of the program; None for what the start of a layer does by itself."""
        hops, is_init = [], name.endswith("_") and not name.endswith("__")
        while frame is not None:
            code = frame.f_code
            if not self.is_library(code):
                break
            hops.append(code.co_filename[len(self.root):] if code.co_filename.startswith(self.root) else "")
            frame = frame.f_back
        if name != STEP and any(hop.startswith("optim" + os.sep) for hop in hops):
            return BY_OPTIMIZER
        if frame is None or self.is_backward(frame):
            return None
        own = [hop for hop in hops if hop and not hop.startswith(("nn" + os.sep + "init", "_", "overrides"))]
        self.is_inner = bool(own)
        if is_init and own and any(hop.startswith("nn") for hop in own):
            return None
        return frame.f_code.co_filename, frame.f_lineno

    def is_backward(self, frame: FrameType | None) -> bool:
        """Whether this runs inside of a backward pass: a checkpoint that runs again, which `jax.vjp` does by itself."""
        start = self.root + "autograd" + os.sep
        while frame is not None:
            path = frame.f_code.co_filename
            if frame.f_code.co_name in ("backward", "grad") and path.startswith(start) and "function" not in path:
                return True
            frame = frame.f_back
        return False

    def is_library(self, code: CodeType) -> bool:
        path = code.co_filename
        if PROGRAMS in path:
            return False
        return path == HERE or path.startswith((self.root, "<frozen")) or path in PYTHONS

    def call(self, function, name: str, args, kwargs):
        if not self.widen:
            return function(*args, **kwargs)
        self.busy = name not in ("backward", "grad")  # there a checkpoint computes again
        try:
            return self.call_wide(function, name, args, kwargs)
        finally:
            self.busy = False

    def add(self, event: Event, made: list, is_known: bool = True) -> None:
        """Records an event. Without `is_known` its outputs have the numbers that their memory had before."""
        number = len(self.events)
        self.events.append(event)
        for i, x in enumerate(made):
            event.values.append(self.copy(x) if is_known else None)
            event.dtypes.append(str(x.dtype).removeprefix("torch."))
            self.kept[id(x)] = (x, _version(x), (number, i))
            if x.requires_grad and event.name != STEP:
                with contextlib.suppress(RuntimeError):  # a view whose history may not be asked for: no error of the program
                    self.listen(x, event, i)

    @staticmethod
    def copy(x):
        """The value of a tensor as it is now."""
        return x.detach().clone()

    def listen(self, x, event: Event, number: int) -> None:
        """Keep the gradients of a tensor as it is now. What is made without gradients has none, unless it is a leaf. A hook
        on the Node is of the tensor's present history; PyTorch takes a second one on the tensor for an earlier one, or
        crashes.
        """
        if not (self.torch.is_grad_enabled() or x.is_leaf):
            return

        def keep(g) -> None:
            if g is None or self.is_again:  # another output of its operation has one
                return
            self.order += 1
            event.grads.append((self.order, number, g if isinstance(g, str) else g.detach().clone()))

        if self.watch is not None:
            self.watch(x, keep)
        else:
            output = x.output_nr
            self.hooks.append(x.register_hook(keep) if x.is_leaf else
                              x.grad_fn.register_prehook(lambda gradients: keep(gradients[output])))

    def reference(self, x, place) -> tuple:
        """The event that made a tensor; for one that none did, or that was changed since, a new one."""
        found = self.kept.get(id(x))
        if found is not None and found[1] == _version(x):
            return found[2]
        label = self.label(x, sys._getframe(2)) or ""
        self.add(Event(LEAF, place, label=label), [x])
        if found is not None:  # its hooks are there
            self.events[-1].label = label or "changed through a view"
        return self.kept[id(x)][2]

    def label(self, x, frame: FrameType | None) -> str:
        """What the program calls a tensor: a variable, or a parameter of a module in one. The outermost frame's name counts,
        in which modules have their full names.
        """
        frames: list = []
        while frame is not None:
            frames += [] if frame.f_code.co_filename == HERE else [frame]
            frame = frame.f_back
        return next(filter(None, (self.name_in(frame.f_locals, x) for frame in reversed(frames))), "")

    def name_in(self, names: dict, x) -> str:
        torch, found = self.torch, ""
        for name, value in list(names.items()):
            if value is x and not found:
                found = name
            elif isinstance(value, torch.nn.Module):
                for part, parameter in (*value.named_parameters(), *value.named_buffers()):
                    if parameter is x:
                        return f"{name}.{part}"
        return found

    # float64

    def widened(self, values) -> Any:
        """Arguments with float64 in place of narrower floats, as dtypes and as tensors from outside."""
        torch = self.torch
        if isinstance(values, torch.dtype):
            return torch.float64 if str(values).removeprefix("torch.") in NARROW else (
                torch.complex128 if values == torch.complex64 else values)
        if isinstance(values, torch.Tensor):
            return self.wide(values)
        if type(values) in (tuple, list):
            return type(values)(self.widened(value) for value in values)
        if type(values) is dict:
            return {key: self.widened(value) for key, value in values.items()}
        return values

    def wide(self, x):
        torch = self.torch
        wider = torch.float64 if str(x.dtype).removeprefix("torch.") in NARROW else (
            torch.complex128 if x.dtype == torch.complex64 else None)
        if wider is None:
            return x
        if not x.is_leaf:
            return x.to(wider)
        self.narrow.append((x, x.data, x.grad))
        g, x.grad = x.grad, None
        x.data = x.data.to(wider)
        x.grad = None if g is None else g.to(wider)
        return x

    def restore(self) -> None:
        """Gives what the program found, a module that it closes over for one, back the type that it had."""
        for x, data, g in reversed(self.narrow):
            x.grad = None
            x.data = data
            x.grad = g
        self.narrow.clear()

    def call_wide(self, function, name: str, args, kwargs):
        """Random numbers are drawn in float32 first, so that they are those of the program. Dropout, also in attention and
        recurrent layers, `rrelu` and `gumbel_softmax` need no care: both libraries draw the same for them in every dtype.
        """
        torch = self.torch
        if name in ("float", "half", "bfloat16"):
            return args[0].double()
        if name in RANDOM:
            if kwargs.get("dtype") == torch.float64:
                kwargs = {**kwargs, "dtype": torch.float32}
            return self.drawn(function, name, args, kwargs)
        return self.raised(function(*args, **kwargs))

    def drawn(self, function, name: str, args, kwargs):
        """Random numbers, drawn in float32; those of initializers go to the tensor that they were called with."""
        torch = self.torch
        target = next((x for x in (*args, *kwargs.values()) if isinstance(x, torch.Tensor)), None)

        def narrow(x):
            return x.detach().float() if isinstance(x, torch.Tensor) and x.dtype == torch.float64 else x

        result = function(*map(narrow, args), **{key: narrow(x) for key, x in kwargs.items()})
        if not name.endswith("_") or target is None or target.dtype != torch.float64:
            return self.raised(result)
        with torch.no_grad():
            target.copy_(result)
        return target

    def raised(self, result):
        """A result in float64, where it is a new tensor or a narrow one."""
        torch = self.torch
        if isinstance(result, torch.Tensor) and result.is_leaf and not isinstance(result, torch.nn.Parameter):
            needs = result.requires_grad
            if str(result.dtype).removeprefix("torch.") in NARROW:
                result = result.detach().double().requires_grad_(needs)
        elif isinstance(result, torch.Tensor):
            result = self.wide(result)
        return result

    # the end

    def finish(self) -> list[Event]:
        """The events with arrays in place of tensors."""
        self.kept.clear()
        self.restore()
        for hook in self.hooks:  # some are on what the program found
            hook.remove()
        self.hooks.clear()
        with self.torch.no_grad():
            for event in self.events:
                event.values = [None if x is None else array(x, self.torch) for x in event.values]
                event.grads = [(order, i, g if isinstance(g, str) else array(g, self.torch)) for order, i, g in event.grads]
        return self.events


def _direction(x, torch):
    """Numbers of a size between 0.5 and 1.5, of both signs."""
    numbers = torch.arange(x.numel(), dtype=torch.float64)
    return ((numbers * 2.4).cos().sign() * (1 + 0.5 * numbers.sin())).reshape(x.shape).to(x.dtype)


def _flat(value) -> list:
    if isinstance(value, tuple | list):
        return [part for item in value for part in _flat(item)]
    if isinstance(value, dict):
        return [part for item in value.values() for part in _flat(item)]
    return [value]


def _version(x) -> int:
    try:
        return x._version
    except RuntimeError:  # an inference tensor
        return 0


def _plain(value):
    return value if isinstance(value, bool | int | float | str) else repr(value)[:200]


def array(tensor, torch) -> np.ndarray | None:
    """The values, None of what has none that numpy can show (sparse, nested, quantized)."""
    if tensor.layout != torch.strided or getattr(tensor, "is_quantized", False) or getattr(tensor, "is_nested", False):
        return None
    tensor = tensor.detach().cpu()
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.float()
    return np.array(tensor.resolve_conj().resolve_neg().numpy())


@contextlib.contextmanager
def recorded(recording: Recording):
    """A block whose operations are recorded."""
    torch = recording.torch

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            return recording.operation(function, tuple(args), kwargs or {})

    optimizers = importlib.import_module(f"{torch.__name__}.optim.optimizer")
    handle = optimizers.register_optimizer_step_post_hook(recording.step)
    try:
        with _checkpoints_under(Mode(), torch) if recording.widen else contextlib.nullcontext(), Mode():
            yield recording
    finally:
        handle.remove()


@contextlib.contextmanager
def _checkpoints_under(mode, torch):
    """A block in which what a checkpoint computes again is seen by the mode, too: a backward pass has none."""
    module = importlib.import_module(f"{torch.__name__}.utils.checkpoint")
    plain = module.checkpoint

    @functools.wraps(plain)
    def checkpoint(function, *args, **kwargs):
        def under(*inputs, **options):
            with mode:
                return function(*inputs, **options)
        return plain(under, *args, **kwargs)

    module.checkpoint = checkpoint
    try:
        yield
    finally:
        module.checkpoint = plain


def save(target: str, events: list[Event], error: dict | None, seconds: float) -> None:
    """Writes a finished recording to the file `target` (.npz)."""
    arrays: dict[str, Any] = {}

    def key(array) -> str | None:
        if array is None or isinstance(array, str):  # why there is none
            return array
        arrays[f"a{len(arrays)}"] = array
        return f"a{len(arrays) - 1}"

    table = [{**vars(event), "values": [key(x) for x in event.values],
              "grads": [(order, i, key(g)) for order, i, g in event.grads]} for event in events]
    facts = np.asarray(json.dumps({"events": table, "error": error, "seconds": seconds}))
    np.savez(target + ".part.npz", facts=facts, **arrays)
    os.replace(target + ".part.npz", target)


def load(source: str) -> tuple[list[Event], dict | None, float]:
    """Reads what `save` wrote."""
    with np.load(source, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files if name != "facts"}
        facts = json.loads(str(file["facts"]))
    arrays[None] = None
    events = []
    for row in facts["events"]:
        row["place"] = tuple(row["place"])
        row["inputs"] = [tuple(item) for item in row["inputs"]]
        row["values"] = [arrays[name] for name in row["values"]]
        row["grads"] = [(order, i, arrays.get(name, name)) for order, i, name in row["grads"]]
        events.append(Event(**row))
    return events, facts["error"], facts["seconds"]


def main(torch, program_run, watch=None) -> None:
    """The worker of one engine: runs a script and writes its recording. `program_run` is that module."""
    parser = program_run.parser()
    parser.add_argument("--wide", action="store_true", help="in float64")
    parser.add_argument("--second-order", action="store_true", help="with second derivatives")
    parser.add_argument("--left", help="the .npz file for what the program leaves")
    options = parser.parse_args()
    recording = Recording(torch, options.wide, options.second_order)
    recording.watch = watch
    left = program_run.run(options.program[0], options.program[1:], options.source, lambda: recorded(recording))
    facts, _ = left
    if options.left is not None:
        program_run.save(options.left, *left)
    save(options.out, recording.finish(), facts["error"], facts["seconds"])
