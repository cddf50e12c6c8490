"""`torch.autograd.profiler`: what `torch.profiler` is made of. https://pytorch.org/docs/stable/autograd.html#profiler"""

import time
import uuid
import warnings

from torchlike._base.errors import UnsupportedError
from torchlike._compile.backends.registry import accelerators, backend_of
from torchlike.autograd._profiler import export as _export
from torchlike.autograd._profiler import names as _names
from torchlike.autograd._profiler.nvprof import load_nvprof as load_nvprof
from torchlike.autograd._profiler.nvprof import parse_nvprof_trace as parse_nvprof_trace
from torchlike.autograd._profiler.recorder import HOST, OPERATOR, SPAN, Recorder, running
from torchlike.autograd._profiler.steps import EnforceUnique as EnforceUnique
from torchlike.autograd._profiler.steps import KinetoStepTracker as KinetoStepTracker
from torchlike.autograd._profiler.steps import MemRecordsAcc as MemRecordsAcc
from torchlike.autograd.grad_mode import _Mode
from torchlike.autograd.profiler_util import EventList, FunctionEvent, nest

_DEVICES = ("cuda", "xpu", "mtia", "hpu")
_STEP = "ProfilerStep#"


def kineto_available() -> bool:
    """True: what PyTorch's Kineto does is there."""
    return True


def _profiler_enabled() -> bool:
    """Whether a profiler runs on this thread."""
    return running() is not None


def _disable_profiler() -> None:
    """Ends the profiler that runs on this thread; its results stay with it."""
    recorder = running()
    if recorder is not None:
        recorder.stop()


class record_function(_Mode):  # noqa: N801 - PyTorch's name
    """A span around a block or, as a decorator, around the calls of a function.
    https://pytorch.org/docs/stable/generated/torch.autograd.profiler.record_function.html

    Where a profiler runs on this thread, what is recorded runs at both ends, so that the block's operators are in the
    span. Elsewhere it does nothing.

    Args:
        name: that of the span. Anything but a str is a RuntimeError when the block begins.
        args: a text beside it; likewise.
    """

    def __init__(self, name: str, args: str | None = None):
        self.name, self.args = name, args
        self.record = None  # while it is entered: the span, or True where nobody asks for spans
        self._recorder: Recorder | None = None

    def clone(self):
        """A new one with the same name."""
        return record_function(self.name, self.args)

    def __enter__(self):
        if not isinstance(self.name, str):
            raise RuntimeError(_wrong("str", "name", 0, self.name))
        if not (self.args is None or isinstance(self.args, str)):
            raise RuntimeError(_wrong("Optional[str]", "args", 1, self.args))
        recorder = self._recorder = running()
        self.record = True if recorder is None else recorder.begin(self.name, self.args)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        if self.record is None:
            raise AssertionError("Expected record to be set")
        if self._recorder is not None and not self._recorder.ended:
            self._recorder.end(self.record, failed=exc_type is not None)


def _wrong(kind, name, position, value) -> str:
    return (f"profiler::_record_function_enter_new() Expected a value of type '{kind}' for argument '{name}' but instead "
            f"found type '{type(value).__name__}'.\nPosition: {position}\nValue: {value}\nDeclaration: "
            "profiler::_record_function_enter_new(str name, str? args=None) -> "
            "__torch__.torch.classes.profiler._RecordFunction\nCast error details: Unable to cast Python instance of type "
            f"{type(value)} to C++ type '?' (#define PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)")


class profile:  # noqa: N801 - PyTorch's name
    """Times the operators of a block, on this thread. https://pytorch.org/docs/stable/autograd.html#profiler

    `torch.profiler.profile` has schedules and more. RuntimeError if the context is entered twice.

    Differs from torch: operators are timed one by one, see `torch.profiler.profile`.

    Args:
        enabled: False makes it do nothing.
        use_cuda: the old form of ``use_device="cuda"``; it warns.
        use_device: "cuda" for times on the GPU; warns and is None where there is no such device.
        record_shapes: whether events have the shapes of the operands.
        with_flops: whether they have the operations that XLA counts (PyTorch: formulas for products and convolutions).
        profile_memory: whether they have the bytes of the results, without what is freed.
        with_stack: whether they have the line of the user's program, one entry (PyTorch: the stack).
        with_modules: changes nothing, as in PyTorch outside of TorchScript.
        use_kineto: must be True where `use_cpu` is False; changes nothing else.
        use_cpu: whether there are other events than operators.
        acc_events: whether the events of earlier rounds are kept, after those of the last one.
        custom_trace_id_callback: a function that gives the ``trace_id``.
        post_processing_timeout_s: changes nothing, for there is no such phase.
        experimental_config, activity_filters: ignored.

    Raises:
        AssertionError: neither the CPU nor a device is asked for, or `use_cpu` is False without `use_kineto`.
        ValueError: a negative time.
    """

    def __init__(self, enabled=True, *, use_cuda=False, use_device=None, record_shapes=False, with_flops=False,
                 profile_memory=False, with_stack=False, with_modules=False, use_kineto=False, use_cpu=True,
                 experimental_config=None, acc_events=False, custom_trace_id_callback=None,
                 post_processing_timeout_s=None, activity_filters=None):
        self.enabled = enabled
        if not enabled:
            return
        self.use_device = "cuda" if use_cuda else use_device
        self.record_shapes, self.with_flops = record_shapes or with_flops, with_flops
        self.profile_memory, self.with_stack, self.with_modules = profile_memory, with_stack, with_modules
        self.acc_events, self.custom_trace_id_callback = acc_events, custom_trace_id_callback
        self.entered, self.trace_id, self.wall = False, "", 0
        self.use_cpu, self.post_processing_timeout_s = use_cpu, post_processing_timeout_s
        self._recorder: Recorder | None = None
        self._events: EventList | None = None
        self._old: list = []
        if not use_cpu and not use_kineto:
            raise AssertionError("Device-only events supported only with Kineto (use_kineto=True)")
        self._check_device(use_cuda)
        if not use_cpu and self.use_device is None:
            raise AssertionError("No activities specified for the profiler")
        if post_processing_timeout_s is not None and post_processing_timeout_s < 0:
            raise ValueError("post_processing_timeout_s must be non-negative")

    def _check_device(self, use_cuda) -> None:
        if use_cuda:
            warnings.warn("The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead.",
                          FutureWarning, stacklevel=3)
        if self.use_device is not None and self.use_device not in _DEVICES:
            warnings.warn(f"The {self.use_device} is not a valid device option.", stacklevel=3)
            self.use_device = None
        if self.use_device is not None and not (self.use_device == "cuda" and accelerators()):
            warnings.warn(f"{self.use_device.upper()} is not available, disabling {self.use_device.upper()} profiling",
                          stacklevel=3)
            self.use_device = None

    # -- start and stop

    def __enter__(self):
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        try:
            self._prepare_trace()
            self._start_trace()
        except BaseException:  # Ctrl-C, say: `__exit__` is not called then
            if self._recorder is not None:
                self._recorder.withdraw()
            raise
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        if not self.enabled:
            return None
        recorder = self._recorder
        if recorder is None or recorder.ended:
            return False
        if self.acc_events and self._events is not None:
            self._old = self._events
        self._events = None
        try:
            recorder.stop(failed=exc_type is not None)
        except BaseException:
            recorder.withdraw()
            raise
        if self.acc_events:
            _ = self.function_events
        return False

    def _prepare_trace(self) -> None:
        """From now on kernel by kernel: the kernels are compiled before anything is timed."""
        self.entered = True
        self.trace_id = self.custom_trace_id_callback() if self.custom_trace_id_callback else f"{uuid.uuid4().int:032X}"
        self._recorder = Recorder()
        self._recorder.start()

    def _start_trace(self) -> None:
        if self._recorder is not None:
            self._recorder.flush()
            self._recorder.restart()
            self.wall = time.time_ns()

    def toggle_collection_dynamic(self, enabled, activities) -> None:
        """Goes on without taking times, or takes them again.
        https://pytorch.org/docs/stable/profiler.html

        Args:
            enabled: whether times are taken.
            activities: ignored: all are switched together.
        """
        if self._recorder is not None and not self._recorder.ended:
            self._recorder.flush()
            self._recorder.paused = not enabled

    # -- results

    @property
    def function_events(self) -> EventList:
        """An `EventList` of `FunctionEvent`, in order of their start; empty before the end of the profile."""
        if self._events is None:
            if not self._ready():
                return EventList()
            made = self._made()
            nest(made)
            self._events = EventList([*made, *self._old], use_device=self.use_device, profile_memory=self.profile_memory,
                                     with_flops=self.with_flops)
            self._old = []
        return self._events

    def _made(self) -> list:
        recorder = self._recorder
        started = sorted(recorder.found, key=lambda x: (x.start, -x.end))
        return [self._event(i, happening, recorder) for i, happening in enumerate(started, 1)
                if self.use_cpu or happening.kind == OPERATOR]

    def _event(self, number, x, recorder) -> FunctionEvent:
        name, trace_name = x.name, x.name
        if x.kind == SPAN and name.startswith(_STEP):
            name = "ProfilerStep*"
        start, end = (x.start - recorder.began) / 1e3, (x.end - recorder.began) / 1e3
        event = FunctionEvent(number, name, recorder.native, start, end, trace_name=trace_name, kind=x.kind,
                              use_device=self.use_device, is_user_annotation=x.kind == SPAN)
        event.is_python_function, event.text = x.kind == HOST, x.text
        if x.kind == OPERATOR:
            self._describe(event, x)
        return event

    def _describe(self, event, x) -> None:
        kernel = x.kernel
        event.name = event.trace_name = _names.name_of(kernel)
        event.overload_name = ""
        on_gpu = backend_of(kernel.device).is_accelerator
        if on_gpu and self.use_device is not None:  # the CPU was free when the call came back
            event.append_kernel(event.name, kernel.device.index or 0, (x.end - x.start) / 1e3)
            event.time_range.end -= (x.end - x.returned) / 1e3
        if self.record_shapes:
            event.input_shapes, event.input_dtypes = _names.shapes_of(kernel), _names.dtypes_of(kernel)
        if self.with_stack and x.site is not None:
            event.stack = [_names.line_of(x.site)]
        if self.with_flops:
            event.flops = _names.flops_of(kernel)
        if self.profile_memory:
            setattr(event, "device_memory_usage" if on_gpu else "cpu_memory_usage", _names.bytes_of(kernel))

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55,
              max_shapes_column_width=80, header=None, top_level_events_only=False) -> str:
        """The events as a table.

        Args: as for `EventList.table`.

        Returns:
            The text.
        """
        return self.function_events.table(sort_by, row_limit, max_src_column_width, max_name_column_width,
                                          max_shapes_column_width, header, top_level_events_only)

    def export_chrome_trace(self, path, metadata=None, use_python_export=False) -> None:
        """Writes the trace for Perfetto or chrome://tracing.
        https://pytorch.org/docs/stable/generated/torch.autograd.profiler.profile.export_chrome_trace.html

        Args:
            path: of the file, which is compressed where it ends in ".gz".
            metadata: names to JSON texts, which are written too.
            use_python_export: ignored.
        """
        _export.write(path, self, metadata or {})

    def export_stacks(self, path, metric="self_cpu_time_total") -> None:
        """Writes the lines of the user's program with their times.

        Args:
            path, metric: as for `EventList.export_stacks`.

        Raises:
            AssertionError: without ``with_stack``.
        """
        found = self.function_events
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        found.export_stacks(path, metric)

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False) -> EventList:
        """The sums by name.
        https://pytorch.org/docs/stable/generated/torch.autograd.profiler.profile.key_averages.html

        Args:
            group_by_input_shape: whether by shapes too.
            group_by_stack_n, group_by_overload_name: as for `EventList.key_averages`.

        Returns:
            An `EventList` of `FunctionEventAvg`.
        """
        return self.function_events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self):
        """The sums over all events, a `FunctionEventAvg`.
        https://pytorch.org/docs/stable/generated/torch.autograd.profiler.profile.total_average.html
        """
        return self.function_events.total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """The sum of all own times on the CPU, in microseconds.
        https://pytorch.org/docs/stable/generated/torch.autograd.profiler.profile.self_cpu_time_total.html
        """
        return self.function_events.self_cpu_time_total

    def __repr__(self):
        return repr(self.function_events) if self._ready() else "<unfinished torch.autograd.profile>"

    def __str__(self):
        return str(self.function_events) if self._ready() else "<unfinished torch.autograd.profile>"

    def _ready(self) -> bool:
        return self._recorder is not None and bool(self._recorder.ended)


class _Ranges:
    """A block whose operators other tools would see as ranges.

    Args:
        enabled: whether they would; the block raises UnsupportedError where it begins.
        record_shapes: not looked at.
    """

    def __init__(self, enabled=True, record_shapes=False):
        self.enabled, self.entered, self.record_shapes = enabled, False, record_shapes

    def __enter__(self):
        if self.enabled:
            raise UnsupportedError(f"torch.autograd.profiler.{type(self).__name__} is not supported: there are no NVTX "
                                   "and ITT ranges; jax.profiler works with Nsight")

    def __exit__(self, *exception) -> bool:
        return False


class emit_nvtx(_Ranges):  # noqa: N801 - PyTorch's name
    """Refused where its block begins.
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.profiler.emit_nvtx

    Args:
        enabled: False: the block does nothing.
        record_shapes: not looked at.
    """


class emit_itt(_Ranges):  # noqa: N801 - PyTorch's name
    """Refused where its block begins.
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.profiler.emit_itt

    Args:
        enabled: False: the block does nothing.
        record_shapes: not looked at.
    """
