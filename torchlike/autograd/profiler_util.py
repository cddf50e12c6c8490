"""What a profile is made of: events, their sums by key, and lists of either.

https://pytorch.org/docs/stable/autograd.html#profiler
"""

import collections
import enum
import warnings
from typing import Any, NamedTuple

from torchlike.autograd._profiler.steps import MemRecordsAcc as MemRecordsAcc
from torchlike.autograd._profiler.table import build_table, format_time

_METRICS = ("self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total")
_SUMMED = ("cpu_time_total", "device_time_total", "self_cpu_time_total", "self_device_time_total", "cpu_memory_usage",
           "device_memory_usage", "self_cpu_memory_usage", "self_device_memory_usage", "count", "flops")
_FIRST = ("key", "node_id", "is_async", "is_remote", "use_device", "input_shapes", "overload_name", "stack", "scope",
          "cpu_children", "cpu_parent", "device_type", "is_legacy", "is_user_annotation")


class ProfilerActivity(enum.Enum):
    """What is profiled. https://pytorch.org/docs/stable/profiler.html#torch.profiler.ProfilerActivity"""

    CPU = 0
    XPU = 1
    CUDA = 2
    HPU = 3
    MTIA = 4
    PrivateUse1 = 5

    def __int__(self):
        return self.value


class DeviceType(enum.Enum):
    """Where an event took place; torchlike's are of the first two kinds."""

    CPU = 0
    CUDA = 1
    MKLDNN = 2
    OPENGL = 3
    OPENCL = 4
    IDEEP = 5
    HIP = 6
    FPGA = 7
    MAIA = 8
    XLA = 9
    Vulkan = 10
    Metal = 11
    XPU = 12
    MPS = 13
    Meta = 14
    HPU = 15
    VE = 16
    Lazy = 17
    IPU = 18
    MTIA = 19
    PrivateUse1 = 20

    def __int__(self):
        return self.value


class Interval:
    """A stretch of time.

    Args:
        start, end: microseconds since the profile began.
    """

    def __init__(self, start, end):
        self.start, self.end = start, end

    def elapsed_us(self):
        """Its length, in microseconds."""
        return self.end - self.start


class Kernel(NamedTuple):
    """What an operator made a GPU do.

    Args:
        name: that of the operator.
        device: the number of the GPU.
        duration: microseconds.
    """

    name: str
    device: int
    duration: float


class FormattedTimesMixin:
    """The times per call, and all times as texts."""

    count: int
    cpu_time_total: float
    device_time_total: float
    self_cpu_time_total: float
    self_device_time_total: float

    @property
    def cpu_time(self) -> float:
        """The mean time of a call on the CPU."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self) -> float:
        """The mean time of a call on the GPU."""
        return self.device_time_total / self.count if self.count else 0.0

    cpu_time_str = property(lambda self: format_time(self.cpu_time))
    device_time_str = property(lambda self: format_time(self.device_time))
    cpu_time_total_str = property(lambda self: format_time(self.cpu_time_total))
    device_time_total_str = property(lambda self: format_time(self.device_time_total))
    self_cpu_time_total_str = property(lambda self: format_time(self.self_cpu_time_total))
    self_device_time_total_str = property(lambda self: format_time(self.self_device_time_total))


def _old_name(old, new):
    """A property under its old name: it warns, as PyTorch's does."""
    def read(self):
        warnings.warn(f"`{old}` is deprecated, please use `{new}` instead." if old == "cuda_time" else
                      f"`{old}` is deprecated. Use `{new}` instead.", FutureWarning, stacklevel=2)
        return getattr(self, new)

    return property(read)


setattr(FormattedTimesMixin, "cuda_time", _old_name("cuda_time", "device_time"))  # noqa: B010 - declared nowhere else


class FunctionEvent(FormattedTimesMixin):
    """One call of an operator, one span of `record_function`, one stretch of Python, one compilation.
    https://pytorch.org/docs/stable/autograd.html#profiler

    Its ``time_range`` is an `Interval`; ``kernels`` are what it made a GPU do; ``cpu_children`` and ``cpu_parent`` follow
    from nesting in time.

    Args:
        id: a number.
        name, overload_name: those of the operator, or the span's.
        thread: its number.
        start_us, end_us: microseconds since the profile began.
        input_shapes: those of the operands, as lists.
        stack: the line of the user's program, in a list.
        use_device: the profile's.
        cpu_memory_usage, device_memory_usage: bytes of the results: what is freed is not counted.
        flops: how many operations it was.
        trace_name: its name in the exported trace; None means `name`.
        is_user_annotation: whether it is a span.
        kind: its category in the exported trace.
    """

    node_id, fwd_thread, scope, sequence_nr, count = -1, None, 0, -1, 1
    is_async = is_remote = is_legacy = is_python_function = False
    device_type, device_index, concrete_inputs, kwinputs = DeviceType.CPU, 0, None, None

    def __init__(self, id, name, thread, start_us, end_us, overload_name="", input_shapes=None, stack=None, use_device=None,
                 cpu_memory_usage=0, device_memory_usage=0, flops=0, trace_name=None, is_user_annotation=False, kind=""):
        self.id, self.name, self.thread, self.kind = id, name, thread, kind
        self.trace_name = name if trace_name is None else trace_name
        self.time_range = Interval(start_us, end_us)
        self.overload_name, self.input_shapes = overload_name, input_shapes or []
        self.stack: list = stack or []
        self.use_device, self.flops = use_device, flops
        self.cpu_memory_usage, self.device_memory_usage = cpu_memory_usage, device_memory_usage
        self.is_user_annotation = is_user_annotation
        self.kernels: list[Kernel] = []
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.input_dtypes: list = []
        self.text: str | None = None

    @property
    def key(self) -> str:
        """What it is summed under: its name."""
        return self.name

    def append_kernel(self, name, device, duration) -> None:
        """Notes what it made a GPU do.

        Args:
            name, device, duration: as for `Kernel`.
        """
        self.kernels.append(Kernel(name, device, duration))

    def append_cpu_child(self, child) -> None:
        """Notes what happened inside of it, and inside none of its other children.

        Args:
            child: the event.
        """
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent) -> None:
        """Notes what it happened inside of.

        Args:
            parent: the event.
        """
        self.cpu_parent = parent

    @property
    def cpu_time_total(self) -> float:
        """Microseconds from its start to its end."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:
        """The same without its children."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def device_time_total(self) -> float:
        """Microseconds that a GPU was waited for, for it and its children."""
        return self.self_device_time_total + sum(child.device_time_total for child in self.cpu_children)

    @property
    def self_device_time_total(self) -> float:
        """The same without its children."""
        return sum(kernel.duration for kernel in self.kernels) if self.use_device else 0

    @property
    def self_cpu_memory_usage(self) -> int:
        """Bytes without those of its children."""
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def self_device_memory_usage(self) -> int:
        """Bytes without those of its children."""
        return self.device_memory_usage - sum(child.device_memory_usage for child in self.cpu_children)

    cuda_time_total = _old_name("cuda_time_total", "device_time_total")
    self_cuda_time_total = _old_name("self_cuda_time_total", "self_device_time_total")
    self_cuda_memory_usage = _old_name("self_cuda_memory_usage", "self_device_memory_usage")

    def __repr__(self):
        return (f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
                f"start_us={self.time_range.start} end_us={self.time_range.end} "
                f"cpu_children={[child.id for child in self.cpu_children]} {self.use_device}_time={self.device_time_str} "
                f"thread={self.thread} input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage}>")


class FunctionEventAvg(FormattedTimesMixin):
    """The sums of all events with one key; ``count`` says how many, and ``cpu_time`` is the mean."""

    def __init__(self) -> None:
        self.key: Any = None
        self.node_id, self.is_async, self.is_remote, self.is_legacy = 0, False, False, False
        self.use_device = self.input_shapes = self.overload_name = self.stack = self.scope = None
        self.cpu_children = self.cpu_parent = None
        self.device_type, self.is_user_annotation = DeviceType.CPU, False
        self.cpu_time_total = self.device_time_total = self.self_cpu_time_total = self.self_device_time_total = 0
        self.cpu_memory_usage = self.device_memory_usage = self.self_cpu_memory_usage = self.self_device_memory_usage = 0
        self.count = self.flops = 0

    def add(self, other) -> "FunctionEventAvg":
        """Adds one more event, or sum of events, of this key.

        Args:
            other: a `FunctionEvent` or `FunctionEventAvg`.

        Returns:
            This sum.

        Raises:
            AssertionError: it is something else, or has another key.
        """
        if self.key is None:
            for name in _FIRST:
                setattr(self, name, getattr(other, name))
        if not isinstance(other, FunctionEvent | FunctionEventAvg):
            raise AssertionError("Expected other to be a FunctionEvent or FunctionEventAvg")
        if other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        for name in _SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    __iadd__ = add

    def __repr__(self):
        device = self.use_device or "cuda"
        return (f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
                f"cpu_time={self.cpu_time_str} self_{device}_time={self.self_device_time_total_str} "
                f"{device}_time={self.device_time_str} "
                f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} "
                f"{device}_memory_usage={self.device_memory_usage}>")


class EventList(list):
    """A list of events, or of their sums, which prints as a table.

    Args:
        *args: what `list` takes.
        use_device: the profile's device, for the names of columns.
        profile_memory: whether the table has memory.
        with_flops: whether it has operations.
    """

    def __init__(self, *args, use_device=None, profile_memory=False, with_flops=False):
        super().__init__(*args)
        self._use_device, self._profile_memory, self._with_flops = use_device, profile_memory, with_flops

    def __str__(self):
        return self.table()

    @property
    def self_cpu_time_total(self):
        """The sum of all events' own times."""
        return sum(event.self_cpu_time_total for event in self)

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55,
              max_shapes_column_width=80, header=None, top_level_events_only=False, time_unit=None) -> str:
        """The events as a table.

        Args:
            sort_by: an attribute, the largest first: ``cpu_time_total``, ``self_cpu_time_total``, ``cpu_time``, ``count``,
                the same with ``cuda`` or ``device``, ``cpu_memory_usage``, ...; None keeps the order. One that events have
                not is an AttributeError.
            row_limit: at most how many rows; -1 means all.
            max_src_column_width, max_name_column_width, max_shapes_column_width: the widest a column may be; None means any.
            header: a line above the table.
            top_level_events_only: whether events inside of others are left out.
            time_unit: "s", "ms" or "us" for all times; None means what fits each.

        Returns:
            The text.
        """
        return build_table(self, sort_by, row_limit, (max_name_column_width, max_shapes_column_width, max_src_column_width),
                           header, self._profile_memory, self._with_flops, top_level_events_only, time_unit)

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False) -> "EventList":
        """The sums by name.

        Args:
            group_by_input_shapes: whether by shapes too.
            group_by_stack_n: by how many lines of the stack.
            group_by_overload_name: whether by overload too.

        Returns:
            An `EventList` of `FunctionEventAvg`.
        """
        sums: dict = collections.defaultdict(FunctionEventAvg)
        for event in self:
            key = (event.key, event.is_user_annotation, event.overload_name if group_by_overload_name else None,
                   str(event.input_shapes) if group_by_input_shapes else None, tuple(event.stack[:group_by_stack_n]))
            sums[key].add(event)
        for found in sums.values():
            found.stack = found.stack[:group_by_stack_n]
            if not group_by_input_shapes:
                found.input_shapes = ""
            if not group_by_overload_name:
                found.overload_name = ""
        return EventList(sums.values(), use_device=self._use_device, profile_memory=self._profile_memory,
                         with_flops=self._with_flops)

    def total_average(self) -> FunctionEventAvg:
        """The sums over all events, under the key "Total"."""
        total = FunctionEventAvg()
        for event in self:
            total += event
            total.key = None
        total.key = "Total"
        return total

    def supported_export_stacks_metrics(self) -> list:
        """What `export_stacks` can write."""
        return [*_METRICS]

    def export_stacks(self, path: str, metric: str) -> None:
        """Writes one line for each event that has a source line: that, and the metric as an integer: what flame graphs are
        made of.

        Args:
            path: of the file.
            metric: "self_cpu_time_total", or "self_cuda_time_total" and its like.

        Raises:
            ValueError: another metric.
        """
        if metric not in _METRICS:
            raise ValueError(f"metric should be one of: {self.supported_export_stacks_metrics()}")
        attribute = metric.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
        spaces = str.maketrans(" ;\t\n", "____")
        with open(path, "w") as file:
            for event in self:
                value = int(getattr(event, attribute))
                if event.stack and value > 0:
                    file.write(";".join(entry.translate(spaces) for entry in reversed(event.stack)) + f" {value}\n")


def nest(events) -> None:
    """Finds parents and children: events of one thread lie inside of each other, or apart.

    Args:
        events: sorted by start, the longer first.
    """
    outer: list = []
    for event in events:
        while outer and (event.time_range.start >= outer[-1].time_range.end
                         or event.time_range.end > outer[-1].time_range.end):
            outer.pop()
        if outer:
            outer[-1].append_cpu_child(event)
            event.set_cpu_parent(outer[-1])
        outer.append(event)
