"""Trading compute for memory: https://pytorch.org/docs/stable/checkpoint.html

A checkpointed region keeps its inputs only and runs again during backward. With
``use_reentrant=False`` its Nodes stay in the graph and their saved tensors come from the second run
(`_recompute.py`, which also says how the memory is really saved under XLA); with True it is one Node
whose backward runs the region and a backward pass of its own.
"""

import contextlib
import functools
import warnings

from torchlike import cuda
from torchlike._base.device import device
from torchlike._base.errors import UnsupportedError
from torchlike._modes import autocast
from torchlike._random.generator import default_of
from torchlike._record.tensor import LEAF, Tensor
from torchlike._record.thread import SEQUENCE
from torchlike._record.trace import state
from torchlike.autograd import engine
from torchlike.autograd.function import Function
from torchlike.autograd.grad_mode import enable_grad, no_grad
from torchlike.autograd.graph import saved_tensors_hooks
from torchlike.autograd.graph_task import running
from torchlike.utils._checkpoint_texts import CheckpointError as CheckpointError
from torchlike.utils._checkpoint_texts import OperationLog, debug_report
from torchlike.utils._recompute import Frame, ReplayedRandom, behind_barrier, remember_region
from torchlike.utils._recompute import GraphExecGroup as GraphExecGroup
from torchlike.utils._selective import SAC_IGNORED_OPS as SAC_IGNORED_OPS
from torchlike.utils._selective import CheckpointPolicy as CheckpointPolicy
from torchlike.utils._selective import SelectiveCheckpointContext as SelectiveCheckpointContext
from torchlike.utils._selective import create_selective_checkpoint_contexts as create_selective_checkpoint_contexts

_NO_CHOICE = (
    "the use_reentrant parameter should be passed explicitly. {} use_reentrant=False is recommended, but if "
    "you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for "
    "more details on the differences between the two variants.")
_SUPPRESSED = (
    "torch.utils.checkpoint: the forward context provided by context_fn suppressed an exception raised "
    "during the checkpointed forward. This is not supported because checkpoint cannot return a value for a "
    "failed forward.")
_PARTIAL = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
    "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
    ".backward() without passing the `inputs` argument.")


class _Settings:
    """What the two contexts below have set; None leaves it to each call."""

    debug = None
    early_stop = None


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled):
    """A block in which `debug` of every checkpoint is set.
    https://pytorch.org/docs/stable/checkpoint.html

    Args:
        enabled: the value; None leaves it to each call.

    Yields:
        nothing.
    """
    before, _Settings.debug = _Settings.debug, enabled
    try:
        yield
    finally:
        _Settings.debug = before


@contextlib.contextmanager
def set_checkpoint_early_stop(enable):
    """A block whose checkpoints stop their second run once all saved tensors are there, or do not.
    https://pytorch.org/docs/stable/checkpoint.html

    Args:
        enable: the value; None leaves it to each call.

    Yields:
        nothing.
    """
    before, _Settings.early_stop = _Settings.early_stop, enable
    try:
        yield
    finally:
        _Settings.early_stop = before


def noop_context_fn():
    """The default `context_fn`: two contexts that do nothing."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def _metadata(x) -> dict:
    return {"shape": x.shape, "dtype": x.dtype, "device": x.device}


_CHECKS = {"default": _metadata, "none": lambda x: None}


def checkpoint(function=None, *args, use_reentrant=None, preserve_rng_state=True, context_fn=noop_context_fn,
               determinism_check="default", debug=False, early_stop=True, respect_saved_tensors_hooks=None, **kwargs):
    """``function(*args, **kwargs)``, of which only the inputs are kept for backward; there the function runs again.
    https://pytorch.org/docs/stable/checkpoint.html

    Args:
        function: the region, a function or module; None gives a decorator, as in PyTorch 2.14.
        args, kwargs: its arguments.
        preserve_rng_state: whether the second run draws the same random numbers.
        use_reentrant: False keeps the region's graph, with which every feature of autograd works; True makes it one Node
            with a backward pass of its own. None warns and means True.
        context_fn: gives two contexts, for the two runs; only without reentrance.
        determinism_check: "default" compares the shapes, dtypes and devices that the two runs save, "none" does not.
        debug: whether an error about different runs lists the operations of both.
        early_stop: whether the second run ends once all saved tensors are there.
        respect_saved_tensors_hooks: must not be True: hooks around do not see what a selective checkpoint saves. PyTorch
            has it since 2.14.

    Returns:
        The function's result.

    Raises:
        ValueError: unknown keywords, or options that need ``use_reentrant=False``.
        UnsupportedError: `respect_saved_tensors_hooks`.
        CheckpointError: in backward, if the second run saves other tensors.
    """
    if respect_saved_tensors_hooks:
        raise UnsupportedError("torch.utils.checkpoint.checkpoint(respect_saved_tensors_hooks=True) is not supported: hooks "
                               "around do not see what a selective checkpoint saves")
    if function is None and not args:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        return functools.partial(_decorated, use_reentrant=use_reentrant, preserve_rng_state=preserve_rng_state,
                                 context_fn=context_fn, determinism_check=determinism_check, debug=debug,
                                 early_stop=early_stop)
    if use_reentrant is None:
        warnings.warn("torch.utils.checkpoint: " + _NO_CHOICE.format(
            "Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an "
            "exception."), stacklevel=2)
        use_reentrant = True
    if not use_reentrant:
        return _keep_graph(function, preserve_rng_state, context_fn, determinism_check, debug, early_stop, args, kwargs)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if context_fn is not noop_context_fn or debug is not False:
        raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
    return CheckpointFunction.apply(function, preserve_rng_state, *args)


def _decorated(function, **how):
    @functools.wraps(function)
    def checkpointed(*args, **kwargs):
        return checkpoint(function, *args, **how, **kwargs)

    return checkpointed


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Runs functions one after the other in checkpointed pieces, the last of which is not checkpointed.
    https://pytorch.org/docs/stable/checkpoint.html

    Args:
        functions: a list of functions, or a module whose children are taken.
        segments: how many pieces.
        input: what the first function gets.
        use_reentrant: as for `checkpoint`.
        kwargs: only `preserve_rng_state`.

    Returns:
        The last function's result.

    Raises:
        ValueError: other keywords.
    """
    if use_reentrant is None:
        warnings.warn("torch.utils.checkpoint.checkpoint_sequential: " + _NO_CHOICE.format(
            "In version 2.9 we will raise an exception if use_reentrant is not passed."), stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if callable(getattr(functions, "children", None)):
        functions = list(functions.children())
    size = len(functions) // segments
    end = 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        input = checkpoint(_one_after_the_other(functions[start:end]), input, use_reentrant=use_reentrant,
                           preserve_rng_state=preserve)
    return _one_after_the_other(functions[end:])(input)


def _one_after_the_other(functions):
    def forward(input):
        for function in functions:
            input = function(input)
        return input

    return forward


# -- use_reentrant=False

def _keep_graph(function, preserve, context_fn, determinism_check, debug, early_stop, args, kwargs):
    explain = None
    if debug if _Settings.debug is None else _Settings.debug:
        if context_fn is not noop_context_fn:
            raise ValueError("debug=True is incompatible with non-default context_fn")
        logs = OperationLog(), OperationLog()
        context_fn, explain = (lambda: logs), _explain_with(logs)
    if determinism_check not in _CHECKS:
        raise ValueError(f"determinism_check should be one of {list(_CHECKS)}, but got {determinism_check}")
    forward_context, again_context = context_fn()
    numbers, region = ReplayedRandom(preserve), autocast.Region()

    def run_again(*inputs):
        with region, numbers, again_context:
            function(*inputs, **kwargs)

    stop = early_stop if _Settings.early_stop is None else _Settings.early_stop
    frame = Frame(run_again, stop, explain, _CHECKS[determinism_check])
    if not state.thread.grad:
        return function(*args, **kwargs)
    frame.save_inputs(args)
    first = next(SEQUENCE)
    returned, thread = False, state.thread
    outer = thread.hooks, thread.plain_graph
    try:
        with saved_tensors_hooks(frame.pack, frame.unpack), forward_context:
            result = function(*args, **kwargs)
            returned = True
    finally:
        thread.hooks, thread.plain_graph = outer  # also where an interruption met the context as it began to end
    if not returned:
        raise RuntimeError(_SUPPRESSED)
    frame.complete = True
    remember_region(result, first, getattr(forward_context, "kept", ()))
    return result


def _explain_with(logs):
    def explain(error):
        raise CheckpointError(debug_report(*logs)) from error

    return explain


# -- random numbers of devices

class DefaultDeviceType:
    """The kind of device whose random states a checkpoint keeps where no input says another."""

    _chosen = None

    @staticmethod
    def set_device_type(device="cuda") -> None:
        """Sets the kind.

        Args:
            device: its name.
        """
        DefaultDeviceType._chosen = device

    @staticmethod
    def get_device_type() -> str:
        """The kind that was set last, else "cuda" if there is a GPU, else "cpu"."""
        if DefaultDeviceType._chosen is None:
            DefaultDeviceType._chosen = "cuda" if cuda.is_available() else "cpu"
        return DefaultDeviceType._chosen


def get_device_states(*args) -> tuple:
    """The states of the GPUs' random generators.

    Args:
        args: tensors, also inside lists, tuples and dicts; their devices count.

    Returns:
        (indices of the GPUs, states).
    """
    devices: list = []
    _collect_devices(args, devices)
    return devices, [_of_gpu(index).get_state() for index in devices]


def _of_gpu(index):
    return default_of(device("cuda", index))


def _collect_devices(x, devices) -> None:
    if isinstance(x, Tensor):
        if x.is_cuda:
            devices.append(x.get_device())
    elif isinstance(x, dict):
        _collect_devices(list(x.values()), devices)
    elif isinstance(x, list | tuple):
        for part in x:
            _collect_devices(part, devices)


def set_device_states(devices, states, *, device_type=None) -> None:
    """Puts random generators back into states.

    Args:
        devices, states: what `get_device_states` gave.
        device_type: the kind of device; "meta" does nothing.
    """
    if (device_type or DefaultDeviceType.get_device_type()) == "meta":
        return
    for index, generator_state in zip(devices, states, strict=False):
        _of_gpu(index).set_state(generator_state)


# -- use_reentrant=True

def detach_variable(inputs) -> tuple:
    """Tensors without their history, which require grad as before.

    Args:
        inputs: a tuple; other values stay as they are.

    Returns:
        a tuple.

    Raises:
        RuntimeError: `inputs` is no tuple.
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError("Only tuple of tensors is supported. Got Unsupported input type: "
                           f"{type(inputs).__name__}")
    return tuple(_detached(x) if isinstance(x, Tensor) else x for x in inputs)


def _detached(x) -> Tensor:
    made = x.detach()
    made._edge = None if x._edge is None else LEAF
    return made


def check_backward_validity(inputs) -> None:
    """Warns if no tensor requires grad.

    Args:
        inputs: an iterable.
    """
    if not any(x._edge is not None for x in inputs if isinstance(x, Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


class CheckpointFunction(Function):
    """The reentrant checkpoint: one Node whose backward runs the region, and a backward pass through it."""

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        """Runs the region without recording its graph.

        Args:
            ctx: the Function's context.
            run_function: the region.
            preserve_rng_state: whether the second run draws the same random numbers.
            args: the region's arguments.

        Returns:
            The region's result.
        """
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.numbers, ctx.region = ReplayedRandom(preserve_rng_state), autocast.Region()
        ctx.inputs = [None if isinstance(x, Tensor) else x for x in args]
        ctx.tensor_indices = [i for i, x in enumerate(args) if isinstance(x, Tensor)]
        ctx.save_for_backward(*[args[i] for i in ctx.tensor_indices])
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx, *args):
        """Runs the region again, and backward through it.

        Args:
            ctx: the Function's context.
            args: the gradients of the results.

        Returns:
            The gradients of the inputs.

        Raises:
            RuntimeError: the backward pass is for some inputs only, or no result requires grad.
        """
        task = running.task
        if task is not None and task.partial:
            raise RuntimeError(_PARTIAL)
        tensors = behind_barrier(detach_variable(ctx.saved_tensors), [g for g in args if g is not None])
        inputs = list(ctx.inputs)
        for i, x in zip(ctx.tensor_indices, tensors, strict=True):
            inputs[i] = x
        with ctx.numbers, ctx.region, enable_grad():
            outputs = ctx.run_function(*inputs)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        wanted = [(out, g) for out, g in zip(outputs, args, strict=False)
                  if isinstance(out, Tensor) and out._edge is not None]
        if not wanted:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        engine.backward([out for out, _ in wanted], [g for _, g in wanted])
        return (None, None, *(x._grad if isinstance(x, Tensor) else None for x in inputs))
